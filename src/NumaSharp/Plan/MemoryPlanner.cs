using System.Collections.Immutable;

namespace NumaSharp.Core.Planning;

/// <summary>Decides which nodes the memory of each node comes from.</summary>
internal sealed class MemoryPlanner
{
    private readonly NumaTopology _topology;
    private readonly NumaPlanRequest _request;
    private readonly PlanNotes _notes;
    private readonly MemoryTiers _tiers;
    private readonly ImmutableArray<NumaNode> _sources;
    private readonly CpuSet _sourceIds;
    private readonly ImmutableArray<NumaNode> _fast;
    private readonly MemoryShares _shared;

    public MemoryPlanner(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        _topology = topology;
        _request = request;
        _notes = notes;
        _tiers = new MemoryTiers(topology);
        _sources = Sources(topology, request);
        _sourceIds = CpuSet.FromIds(_sources.Select(static node => node.NodeId));
        _fast = [.. _sources.Where(node => !_tiers.IsSlow(node))];
        _shared = request.Policy switch
        {
            NumaMemoryPolicy.Interleave => new MemoryShares(request.Policy, [.. Spread().Select(IdOf)], []),
            NumaMemoryPolicy.WeightedInterleave => Weighted(),
            NumaMemoryPolicy.Saturate => InOrder(request.Policy, [.. Spread().OrderBy(HasNoCpus).Select(IdOf)]),
            _ => new MemoryShares(request.Policy, [], []),
        };
    }

    /// <summary>The nodes that memory may come from: the requested ones, else any, because it must come from somewhere.</summary>
    public static ImmutableArray<NumaNode> Sources(NumaTopology topology, NumaPlanRequest request)
    {
        ImmutableArray<NumaNode> all = [.. topology.Nodes.Where(node => topology.MemoryNodes.Contains(node.NodeId))];
        ImmutableArray<NumaNode> wanted = [.. all.Where(node => request.Nodes?.Contains(node.NodeId) != false)];
        return wanted.IsEmpty ? all : wanted;
    }

    public MemoryShares SharesOf(NumaNode node) =>
        !_shared.NodeIds.IsEmpty ? _shared
        : _request.Policy == NumaMemoryPolicy.Custom && _request.Map.TryGetValue(node.Id, out var ids) ? Mapped(node, ids)
        : Local(node);

    private static bool HasNoCpus(NumaNode node) => node.Cpus.IsEmpty && node.OnlineCpus.IsEmpty;

    private MemoryShares Local(NumaNode node)
    {
        var first = FirstOf(node);
        if (first.Id != node.Id)
        {
            _notes.Add(
                $"Node {node.Id} has no memory that may be used: its pools use memory of node {first.Id} (distance "
                + $"{_topology.Distance(node.Id, first.Id)}).");
        }

        // The kernel goes by distance alone, and a CXL device is often nearer than the other socket.
        return _request.BindMode == NumaBindMode.Advisory && _fast.Length < _sources.Length && !_tiers.IsSlow(first)
            ? InOrder(NumaMemoryPolicy.Local, [first.Id, .. _fast.Select(IdOf).Where(id => id != first.Id)])
            : new MemoryShares(NumaMemoryPolicy.Local, [first.Id], []);
    }

    private NumaNode FirstOf(NumaNode node) => _topology.NodesByDistance(node.Id)
        .Where(source => _sourceIds.Contains(source.NodeId))
        .OrderBy(source => source.Id != node.Id)
        .ThenBy(_tiers.IsSlow)
        .FirstOrDefault(node);

    private MemoryShares Mapped(NumaNode node, IReadOnlyList<NumaNodeId> ids)
    {
        var shares = InOrder(NumaMemoryPolicy.Custom, ids);
        if (!shares.NodeIds.SequenceEqual(ids))
        {
            _notes.Add(
                $"Node {node.Id} gets memory of nodes {string.Join(',', shares.NodeIds)} in this order: after the first, the "
                + "kernel takes the node nearest to it.");
        }

        return shares;
    }

    private MemoryShares InOrder(NumaMemoryPolicy policy, IReadOnlyList<NumaNodeId> ids) => new(
        policy,
        [.. ids.Take(1), .. ids.Skip(1).OrderBy(id => _topology.Distance(ids[0], id))],
        []);

    // Equal shares of a slower tier would make every access slower on average; a request that names the nodes gets them.
    private ImmutableArray<NumaNode> Spread()
    {
        if (_request.Nodes is not null || _fast.IsEmpty || _fast.Length == _sources.Length)
        {
            return _sources;
        }

        _notes.Add(
            $"Nodes {_sourceIds.Except(CpuSet.FromIds(_fast.Select(static node => node.NodeId)))} have slower memory (a lower "
            + $"tier) and are left out of {_request.Policy}; to use them, name them in Nodes.");
        return _fast;
    }

    private MemoryShares Weighted() => new(
        NumaMemoryPolicy.WeightedInterleave,
        [.. _sources.Select(IdOf)],
        _request.Weights.Count > 0
            ? [.. _sources.Select(node => _request.Weights.TryGetValue(node.Id, out var weight) ? weight : 1)]
            : BandwidthWeights.Of(_sources, _notes));

    private static NumaNodeId IdOf(NumaNode node) => node.Id;
}
