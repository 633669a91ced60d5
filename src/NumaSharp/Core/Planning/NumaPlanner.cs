using System.Collections.Immutable;
using System.Globalization;

namespace NumaSharp.Core.Planning;

/// <summary>The pure part of planning: no I/O, no clock, no randomness.</summary>
internal static class NumaPlanner
{
    private const int MaxPerNode = 4096;

    public static List<NumaPlanProblem> FindProblems(NumaTopology topology, NumaPlanRequest request)
    {
        var problems = new List<NumaPlanProblem>();
        CheckCount(problems, nameof(request.ThreadsPerNode), request.ThreadsPerNode);
        CheckCount(problems, nameof(request.LoopsPerNode), request.LoopsPerNode);
        if (!request.Enabled)
        {
            return problems;
        }

        var nodeIds = CpuSet.FromIds(topology.Nodes.Select(static node => node.NodeId));
        CheckSubset(problems, nameof(request.Nodes), request.Nodes, nodeIds, "nodes of this machine that this process may use");
        CheckSubset(problems, nameof(request.Cpus), request.Cpus, topology.AllowedCpus, "CPUs that this process may use");
        if (problems.Count == 0 && UsableCpus(topology, request).IsEmpty)
        {
            problems.Add(new NumaPlanProblem(
                nameof(request.ReservedCpus),
                request.ReservedCpus.ToString(),
                $"no CPU is left: allowed are {topology.AllowedCpus}, Nodes is {Text(request.Nodes)}, Cpus is {Text(request.Cpus)}."));
        }

        return problems;
    }

    public static ImmutableArray<NumaNodePlan> PlanNodes(NumaTopology topology, NumaPlanRequest request) =>
        request.Enabled ? PlanEnabled(topology, request) : [PlanDisabled(topology, request)];

    private static ImmutableArray<NumaNodePlan> PlanEnabled(NumaTopology topology, NumaPlanRequest request)
    {
        var usable = UsableCpus(topology, request);
        NumaNode[] nodes =
        [
            .. topology.Nodes.Where(node =>
                request.Nodes?.Contains(node.NodeId) != false
                && node.Kind != NumaNodeKind.Device
                && (node.IsMemoryAllowed || node.Cpus.Overlaps(usable))),
        ];
        var workers = nodes.Where(node => node.Cpus.Overlaps(usable)).ToArray();
        return
        [
            .. nodes.Select((node, index) =>
            {
                var server = NearestOf(topology, node, workers);
                var cpus = server.Cpus.Intersect(usable);
                var serves = ReferenceEquals(server, node);
                return new NumaNodePlan
                {
                    NodeId = node.NodeId,
                    NodeIndex = index,
                    Cpus = cpus,
                    ServingIndex = Array.IndexOf(nodes, server),
                    MemoryNodeId = MemoryNodeOf(topology, node),
                    Threads = serves ? CountOr(request.ThreadsPerNode, cpus) : 0,
                    Loops = serves ? CountOr(request.LoopsPerNode, cpus) : 0,
                    Neighbours = NeighboursOf(topology, nodes, workers, node),
                };
            }),
        ];
    }

    private static NumaNodePlan PlanDisabled(NumaTopology topology, NumaPlanRequest request)
    {
        var node = topology.Nodes.First(static candidate => !candidate.Cpus.IsEmpty);
        return new NumaNodePlan
        {
            NodeId = node.NodeId,
            NodeIndex = 0,
            Cpus = topology.AllowedCpus,
            ServingIndex = 0,
            MemoryNodeId = MemoryNodeOf(topology, node),
            Threads = CountOr(request.ThreadsPerNode, topology.AllowedCpus),
            Loops = CountOr(request.LoopsPerNode, topology.AllowedCpus),
            Neighbours = [],
        };
    }

    private static CpuSet UsableCpus(NumaTopology topology, NumaPlanRequest request)
    {
        var cpus = topology.Nodes
            .Where(node => request.Nodes?.Contains(node.NodeId) != false)
            .Aggregate(CpuSet.Empty, static (set, node) => set.Union(node.Cpus));
        return (request.Cpus is null ? cpus : cpus.Intersect(request.Cpus)).Except(request.ReservedCpus);
    }

    private static NumaNode NearestOf(NumaTopology topology, NumaNode node, NumaNode[] candidates) =>
        topology.NodesByDistance(node.NodeId).First(candidates.Contains);

    private static int MemoryNodeOf(NumaTopology topology, NumaNode node) =>
        topology.NodesByDistance(node.NodeId)
            .FirstOrDefault(static candidate => candidate.IsMemoryAllowed && candidate.Kind != NumaNodeKind.Device, node)
            .NodeId;

    private static int[] NeighboursOf(NumaTopology topology, NumaNode[] nodes, NumaNode[] workers, NumaNode node) =>
    [
        .. topology.NodesByDistance(node.NodeId)
            .Where(other => other.NodeId != node.NodeId && workers.Contains(other))
            .Select(other => Array.IndexOf(nodes, other)),
    ];

    private static int CountOr(int requested, CpuSet cpus) => requested > 0 ? requested : cpus.Count;

    private static void CheckCount(List<NumaPlanProblem> problems, string setting, int value)
    {
        if (value is < 0 or > MaxPerNode)
        {
            problems.Add(new NumaPlanProblem(
                setting,
                value.ToString(CultureInfo.InvariantCulture),
                $"must be from 0 (as many as the node has CPUs) to {MaxPerNode}."));
        }
    }

    private static void CheckSubset(
        List<NumaPlanProblem> problems, string setting, CpuSet? value, CpuSet allowed, string what)
    {
        if (value is null)
        {
            return;
        }

        if (value.IsEmpty || !value.IsSubsetOf(allowed))
        {
            problems.Add(new NumaPlanProblem(
                setting,
                value.ToString(),
                value.IsEmpty
                    ? $"is empty; allowed are the {what}: {allowed}."
                    : $"{value.Except(allowed)} cannot be used; allowed are the {what}: {allowed}."));
        }
    }

    private static string Text(CpuSet? set) => set?.ToString() ?? "not set";
}
