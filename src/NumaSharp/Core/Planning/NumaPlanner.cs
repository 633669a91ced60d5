using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>The pure part of planning: no I/O, no clock, no randomness.</summary>
internal static class NumaPlanner
{
    public static ImmutableArray<NumaNodePlan> PlanNodes(NumaTopology topology, NumaPlanRequest request) =>
        request.Enabled ? PlanEnabled(topology, request) : [PlanDisabled(topology, request)];

    /// <summary>The nodes that a request is about: never a device's memory.</summary>
    public static IEnumerable<NumaNode> WantedNodes(NumaTopology topology, NumaPlanRequest request) =>
        topology.Nodes.Where(node => node.Kind != NumaNodeKind.Device && request.Nodes?.Contains(node.NodeId) != false);

    public static CpuSet UsableCpus(NumaTopology topology, NumaPlanRequest request)
    {
        var cpus = WantedNodes(topology, request).Aggregate(CpuSet.Empty, static (set, node) => set.Union(node.Cpus));
        return (request.Cpus is null ? cpus : cpus.Intersect(request.Cpus)).Except(request.ReservedCpus);
    }

    private static ImmutableArray<NumaNodePlan> PlanEnabled(NumaTopology topology, NumaPlanRequest request)
    {
        var usable = UsableCpus(topology, request);
        NumaNode[] nodes =
        [
            .. WantedNodes(topology, request).Where(node => node.IsMemoryAllowed || node.Cpus.Overlaps(usable)),
        ];
        var indexOfWorker = nodes.Index()
            .Where(pair => pair.Item.Cpus.Overlaps(usable))
            .ToDictionary(static pair => pair.Item.NodeId, static pair => pair.Index);
        return [.. nodes.Select((node, index) => PlanNode(topology, request, usable, node, index, indexOfWorker))];
    }

    private static NumaNodePlan PlanNode(
        NumaTopology topology,
        NumaPlanRequest request,
        CpuSet usable,
        NumaNode node,
        int index,
        Dictionary<int, int> indexOfWorker)
    {
        NumaNode[] workers = [.. topology.NodesByDistance(node.NodeId).Where(other => indexOfWorker.ContainsKey(other.NodeId))];
        var server = workers[0];
        var cpus = server.Cpus.Intersect(usable);
        var serves = server.NodeId == node.NodeId;
        var threads = serves ? CountOr(request.ThreadsPerNode, cpus) : 0;
        var loops = serves ? CountOr(request.LoopsPerNode, cpus) : 0;
        return new NumaNodePlan
        {
            NodeId = node.NodeId,
            NodeIndex = index,
            Cpus = cpus,
            ServingIndex = indexOfWorker[server.NodeId],
            MemoryNodeId = MemoryNodeOf(topology, request, node),
            Threads = threads,
            Loops = loops,
            ThreadCpus = [.. Enumerable.Repeat(cpus, threads)],
            LoopCpus = [.. Enumerable.Repeat(cpus, loops)],
            Neighbours = [.. workers.Where(other => other.NodeId != node.NodeId).Select(other => indexOfWorker[other.NodeId])],
        };
    }

    private static NumaNodePlan PlanDisabled(NumaTopology topology, NumaPlanRequest request)
    {
        var node = topology.Nodes.First(static candidate => !candidate.Cpus.IsEmpty);
        var threads = CountOr(request.ThreadsPerNode, topology.AllowedCpus);
        var loops = CountOr(request.LoopsPerNode, topology.AllowedCpus);
        return new NumaNodePlan
        {
            NodeId = node.NodeId,
            NodeIndex = 0,
            Cpus = topology.AllowedCpus,
            ServingIndex = 0,
            MemoryNodeId = MemoryNodeOf(topology, new NumaPlanRequest(), node),
            Threads = threads,
            Loops = loops,
            ThreadCpus = [.. Enumerable.Repeat(topology.AllowedCpus, threads)],
            LoopCpus = [.. Enumerable.Repeat(topology.AllowedCpus, loops)],
            Neighbours = [],
        };
    }

    // Nodes that were asked for first, then any: CPUs without memory of their own must get theirs from somewhere.
    private static int MemoryNodeOf(NumaTopology topology, NumaPlanRequest request, NumaNode node)
    {
        var withMemory = topology.NodesByDistance(node.NodeId).Where(other => topology.MemoryNodes.Contains(other.NodeId));
        return withMemory
            .OrderBy(other => request.Nodes?.Contains(other.NodeId) == false)
            .FirstOrDefault(node)
            .NodeId;
    }

    private static int CountOr(int requested, CpuSet cpus) => requested > 0 ? requested : cpus.Count;
}
