using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>The pure part of planning: no I/O, no clock, no randomness.</summary>
internal sealed class NumaPlanner
{
    private static readonly NumaPlanRequest s_unbound = new() { BindMode = NumaBindMode.None };

    private readonly NumaTopology _topology;
    private readonly NumaPlanRequest _request;
    private readonly PlanNotes _notes;
    private readonly CpuSet _cpus;
    private readonly ImmutableArray<NumaNode> _nodes;
    private readonly CpuSet _workerIds;
    private readonly Dictionary<NumaNodeId, int> _indexOf;
    private readonly MemoryPlanner _memory;
    private readonly CpuSet _loopNodes;

    private NumaPlanner(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        _topology = topology;
        _request = request;
        _notes = notes;
        _cpus = CpuSelection.Select(topology, request, notes);
        _nodes = [.. PlannedNodes(topology, request, _cpus)];
        NumaNode[] workers = [.. _nodes.Where(node => node.Cpus.Overlaps(_cpus))];
        _workerIds = CpuSet.FromIds(workers.Select(static node => node.NodeId));
        _indexOf = _nodes.Index().ToDictionary(static pair => pair.Item.Id, static pair => pair.Index);
        NoteWhatFirmwareKeeps();
        _memory = new MemoryPlanner(topology, request, notes);
        _loopNodes = LoopNodes.Select(topology, request, workers, notes);
    }

    public static ImmutableArray<NumaNodePlan> Plan(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        if (!request.Enabled)
        {
            return [PlanDisabled(topology, request, notes)];
        }

        var planner = new NumaPlanner(topology, request, notes);
        return [.. planner._nodes.Select(planner.PlanNode)];
    }

    /// <summary>The kernel ids of the nodes that the plan of a request has.</summary>
    public static CpuSet PlannedNodes(NumaTopology topology, NumaPlanRequest request) => CpuSet.FromIds(
        PlannedNodes(topology, request, CpuSelection.Select(topology, request, new PlanNotes()))
            .Select(static node => node.NodeId));

    private static IEnumerable<NumaNode> PlannedNodes(NumaTopology topology, NumaPlanRequest request, CpuSet cpus) =>
        CpuSelection.WantedNodes(topology, request).Where(node => node.IsMemoryAllowed || node.Cpus.Overlaps(cpus));

    private static NumaNodePlan PlanDisabled(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        var node = topology.Nodes.First(static candidate => !candidate.Cpus.IsEmpty);
        var threads = CountOr(request.ThreadsPerNode, topology.AllowedCpus);
        var loops = CountOr(request.LoopsPerNode, topology.AllowedCpus);
        notes.Add("Placement is turned off: one node with all CPUs, nothing is pinned or bound.");
        return new NumaNodePlan
        {
            NodeId = node.Id,
            NodeIndex = 0,
            Cpus = topology.AllowedCpus,
            ServingIndex = 0,
            MemoryPolicy = NumaMemoryPolicy.Local,
            MemoryNodeIds = new MemoryPlanner(topology, s_unbound, new PlanNotes()).SharesOf(node).NodeIds,
            MemoryWeights = [],
            Threads = threads,
            Loops = loops,
            ThreadCpus = [.. Enumerable.Repeat(topology.AllowedCpus, threads)],
            LoopCpus = [.. Enumerable.Repeat(topology.AllowedCpus, loops)],
            Neighbors = [],
        };
    }

    private static int CountOr(int requested, CpuSet cpus) => requested > 0 ? requested : cpus.Count;

    private NumaNodePlan PlanNode(NumaNode node, int index)
    {
        NumaNode[] workers = [.. _topology.GetNodesByDistance(node.Id).Where(other => _workerIds.Contains(other.NodeId))];
        var server = workers[0];
        var cpus = server.Cpus.Intersect(_cpus);
        var serves = server.Id == node.Id;
        NoteServing(node, server);
        var memory = _memory.SharesOf(node);
        var threads = serves ? CountOr(_request.ThreadsPerNode, cpus) : 0;
        var loops = serves && _loopNodes.Contains(node.NodeId) ? CountOr(_request.LoopsPerNode, cpus) : 0;
        var placement = new ThreadPlacement(_topology, _request.Granularity, cpus);
        return new NumaNodePlan
        {
            NodeId = node.Id,
            NodeIndex = index,
            Cpus = cpus,
            ServingIndex = _indexOf[server.Id],
            MemoryPolicy = memory.Policy,
            MemoryNodeIds = memory.NodeIds,
            MemoryWeights = memory.Weights,
            Threads = threads,
            Loops = loops,
            ThreadCpus = placement.Spread(threads),
            LoopCpus = ThreadPlacement.InOrder(placement.Spread(loops)),
            Neighbors = [.. workers.Where(other => other.Id != node.Id).Select(other => _indexOf[other.Id])],
        };
    }

    private void NoteServing(NumaNode node, NumaNode server)
    {
        if (node.Id != server.Id)
        {
            _notes.Add(
                $"Node {node.Id} has no CPU in the plan: node {server.Id} (distance "
                + $"{_topology.GetDistance(node.Id, server.Id)}) serves it.");
        }
    }

    private void NoteWhatFirmwareKeeps()
    {
        foreach (var device in _topology.Nodes.Where(static node => node.IsDevice))
        {
            _notes.Add(
                _indexOf.ContainsKey(device.Id) ? $"Node {device.Id} is the memory of a device; Nodes names it."
                : device.IsMemoryAllowed
                    ? $"Node {device.Id} is the memory of a device and is not used; to use it, name all nodes in Nodes."
                : $"Node {device.Id} is the memory of a device, which this process may not use.");
        }

        if (_nodes.Length > 1 && _nodes.All(static node => node.Distances.Count == 0))
        {
            _notes.Add("Node distances are unknown; all remote nodes count as equally far.");
        }

        if (_request.Granularity == NumaAffinityGranularity.Cache)
        {
            _notes.AddFor(
                CpuSet.FromIds(_cpus.Where(cpu => _topology.FindLastLevelCache(cpu) is null)),
                "have no cache information; on a node they count as sharing one last-level cache.");
        }
    }
}

/// <summary>Why a plan is as it is, in the order in which it was decided.</summary>
internal sealed class PlanNotes
{
    private readonly List<string> _lines = [];

    public void Add(string line) => _lines.Add(line);

    /// <summary>A note about CPUs, when there are any.</summary>
    public void AddFor(CpuSet cpus, string what)
    {
        if (!cpus.IsEmpty)
        {
            _lines.Add($"CPUs {cpus} {what}");
        }
    }

    public ImmutableArray<string> ToLines() => [.. _lines];
}
