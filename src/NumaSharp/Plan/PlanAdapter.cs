using System.Collections.Immutable;
using System.Globalization;

namespace NumaSharp.Core.Planning;

/// <summary>
/// Merges a fresh plan into one with running threads: positions and numbers of loops are the old plan's, places and numbers of
/// workers are the fresh one's (docs/decisions/0009-change-at-run-time.md). Pure.
/// </summary>
internal static class PlanAdapter
{
    private const int UnknownDistance = 20;

    /// <summary>The nodes of a plan that a topology lacks, as they were last seen.</summary>
    public static ImmutableArray<NumaNode> FindAbsent(NumaPlan plan, NumaTopology topology) =>
    [
        .. plan.Nodes.Where(node => topology.FindNode(node.NodeId) is null)
            .Select(node => plan.Topology.FindNode(node.NodeId) ?? plan.Absent.First(seen => seen.Id == node.NodeId)),
    ];

    public static ImmutableArray<NumaNodePlan> PlaceNodes(NumaPlan old, NumaPlan fresh, ImmutableArray<NumaNode> absent)
    {
        var placed = new NumaNodePlan[old.Nodes.Count];
        NumaNodePlan[] hosts = [.. old.Nodes.Select(node => FindHost(node, fresh, absent))];
        foreach (var guests in old.Nodes.GroupBy(node => hosts[node.NodeIndex].NodeIndex))
        {
            var host = fresh.Nodes[guests.Key];

            // The host's own threads first: their places do not depend on guests.
            var (threads, loops) = (0, 0);
            foreach (var node in guests.OrderBy(node => node.NodeId != host.NodeId))
            {
                var workers = ThreadsOf(node, fresh);
                var memory = fresh.FindNode(node.NodeId) ?? host;
                placed[node.NodeIndex] = new NumaNodePlan
                {
                    NodeId = node.NodeId,
                    NodeIndex = node.NodeIndex,
                    ServingIndex = node.ServingIndex,

                    // Nodes without workers of their own are where the workers that serve them are.
                    Cpus = hosts[node.ServingIndex].Cpus,
                    MemoryPolicy = memory.MemoryPolicy,
                    MemoryNodeIds = memory.MemoryNodeIds,
                    MemoryWeights = memory.MemoryWeights,
                    Threads = workers,
                    Loops = node.Loops,
                    ThreadCpus = Spread(fresh, host, threads, workers),
                    LoopCpus = ThreadPlacement.InOrder(Spread(fresh, host, loops, node.Loops)),
                    Neighbors = node.Neighbors,
                };
                (threads, loops) = (threads + workers, loops + node.Loops);
            }
        }

        return [.. placed];
    }

    /// <summary>What the machine has but threads that already run cannot use.</summary>
    public static NumaFallback? FindUnused(NumaPlan plan, NumaPlan fresh)
    {
        var messages = new List<string>();
        var unused = fresh.Cpus.Except(plan.Cpus);
        if (!unused.IsEmpty)
        {
            messages.Add(
                $"CPUs {unused} can be used now, but their nodes had no workers or loops when this process started: they stay "
                + "idle until it is restarted.");
        }

        messages.AddRange(
            from node in plan.Nodes
            let now = fresh.FindNode(node.NodeId)
            where node.ServesItself && now is not null && now.ServesItself && HasFewerLoopsThan(node, now)
            select string.Create(
                CultureInfo.InvariantCulture,
                $"Node {node.NodeId} has more CPUs ({now.Cpus}) than at the start: its {node.Loops} loops may run on them, but ")
            + "their number grows only with a restart.");
        return messages.Count == 0 ? null : new NumaFallback(FallbackCatalog.TopologyUnused, string.Join(" ", messages));
    }

    // A node has not grown if its loops were kept elsewhere, near a network interface that is gone.
    private static bool HasFewerLoopsThan(NumaNodePlan node, NumaNodePlan now) => node.Loops > 0 && now.Loops > node.Loops;

    // A guest on another node keeps its workers: its own CPUs may come back.
    private static int ThreadsOf(NumaNodePlan node, NumaPlan fresh) =>
        node.ServesItself && fresh.FindNode(node.NodeId) is { Threads: > 0 } own ? own.Threads : node.Threads;

    private static NumaNodePlan FindHost(NumaNodePlan node, NumaPlan fresh, ImmutableArray<NumaNode> absent)
    {
        if (fresh.FindNode(node.NodeId) is { } own)
        {
            return fresh.Nodes[own.ServingIndex];
        }

        // The nearest of the nodes that have CPUs, by the node's distances when it was last seen.
        var seen = absent.FirstOrDefault(gone => gone.Id == node.NodeId) ?? fresh.Topology.FindNode(node.NodeId);
        return fresh.Nodes.Where(static node => node.ServesItself).MinBy(
            host => (seen?.Distances.GetValueOrDefault(host.NodeId, UnknownDistance) ?? UnknownDistance, host.NodeId))!;
    }

    private static ImmutableArray<CpuSet> Spread(NumaPlan fresh, NumaNodePlan host, int before, int count) => fresh.IsEnabled
        ? [.. new ThreadPlacement(fresh.Topology, fresh.Request.Granularity, host.Cpus).Spread(before + count).Skip(before)]
        : [.. Enumerable.Repeat(host.Cpus, count)];
}
