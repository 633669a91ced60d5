using System.Collections.Immutable;
using System.Globalization;

namespace NumaSharp.Core.Planning;

/// <summary>
/// Lays a plan that was made afresh over one whose threads run: positions and numbers of threads are the old plan's, places
/// are the fresh one's (docs/decisions/0009-change-at-run-time.md). Pure.
/// </summary>
internal static class PlanAdapter
{
    private const int UnknownDistance = 20;

    /// <summary>The nodes of a plan that a topology lacks, as they were last seen.</summary>
    public static ImmutableArray<NumaNode> FindAbsent(NumaPlan plan, NumaTopology topology) =>
    [
        .. plan.Nodes.Where(node => topology.FindNode(node.NodeId) is null)
            .Select(node => plan.Topology.FindNode(node.NodeId) ?? plan.Absent.First(seen => seen.NodeId == node.NodeId)),
    ];

    public static ImmutableArray<NumaNodePlan> PlaceNodes(NumaPlan old, NumaPlan fresh, ImmutableArray<NumaNode> absent)
    {
        NumaNodePlan[] placed = [.. old.Nodes.Select(node => Place(node, fresh, absent))];

        // Those without workers of their own are where the workers that serve them are.
        return [.. placed.Select(node => node with { Cpus = placed[node.ServingIndex].Cpus })];
    }

    /// <summary>What the machine has and threads that run already cannot use.</summary>
    public static NumaFallback? FindUnused(NumaPlan plan, NumaPlan fresh)
    {
        var messages = new List<string>();
        var unused = fresh.Cpus.Except(plan.Cpus);
        if (!unused.IsEmpty)
        {
            messages.Add(
                $"CPUs {unused} could be used now, but their nodes had no workers and loops when this process started: they are "
                + "left idle until it starts again.");
        }

        messages.AddRange(
            from node in plan.Nodes
            let now = fresh.FindNode(node.NodeId)
            where IsStaffed(node) && now is not null && IsStaffed(now) && (now.Threads > node.Threads || now.Loops > node.Loops)
            select string.Create(
                CultureInfo.InvariantCulture,
                $"Node {node.NodeId} has more CPUs ({now.Cpus}) than at the start: its {node.Threads} workers and {node.Loops} ")
            + "loops may run on all of them; a process that starts again has more.");
        return messages.Count == 0 ? null : new NumaFallback("topology.unused", string.Join(" ", messages));
    }

    private static bool IsStaffed(NumaNodePlan node) => node.ServingIndex == node.NodeIndex;

    private static NumaNodePlan Place(NumaNodePlan old, NumaPlan fresh, ImmutableArray<NumaNode> absent)
    {
        var own = fresh.FindNode(old.NodeId);
        var host = own is null ? FindHost(old.NodeId, fresh, absent) : fresh.Nodes[own.ServingIndex];
        return (own ?? host) with
        {
            NodeId = old.NodeId,
            NodeIndex = old.NodeIndex,
            ServingIndex = old.ServingIndex,
            Cpus = host.Cpus,
            Threads = old.Threads,
            Loops = old.Loops,
            ThreadCpus = Repeat(host.ThreadCpus, old.Threads),
            LoopCpus = Repeat(host.Loops > 0 ? host.LoopCpus : host.ThreadCpus, old.Loops),
            Neighbours = old.Neighbours,
        };
    }

    // The nearest of the nodes that have CPUs, by the distances that the node had when it was there.
    private static NumaNodePlan FindHost(int nodeId, NumaPlan fresh, ImmutableArray<NumaNode> absent)
    {
        var seen = absent.FirstOrDefault(node => node.NodeId == nodeId) ?? fresh.Topology.FindNode(nodeId);
        return fresh.Nodes.Where(IsStaffed).MinBy(
            host => (seen?.Distances.GetValueOrDefault(host.NodeId, UnknownDistance) ?? UnknownDistance, host.NodeId))!;
    }

    // Fewer places than threads: they share them in turn. More: the first ones, as long as no thread is added.
    private static ImmutableArray<CpuSet> Repeat(IReadOnlyList<CpuSet> places, int count) =>
        [.. Enumerable.Range(0, count).Select(i => places[i % places.Count])];
}
