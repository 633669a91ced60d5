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
    private readonly ImmutableArray<NumaNode> _ordinary;
    private readonly ImmutableArray<NumaNode> _fast;
    private readonly MemoryShares _shared;

    public MemoryPlanner(NumaTopology topology, NumaPlanRequest request, PlanNotes notes)
    {
        _topology = topology;
        _request = request;
        _notes = notes;
        _tiers = new MemoryTiers(topology);
        _sources = Sources(topology, request);
        _sourceIds = IdsOf(_sources);
        _ordinary = [.. _sources.Where(static node => !node.IsDevice)];
        _fast = [.. _ordinary.Where(node => !_tiers.IsSlow(node))];
        _shared = request.Policy switch
        {
            NumaMemoryPolicy.Interleave => new MemoryShares(request.Policy, [.. Spread().Select(IdOf)], []),
            NumaMemoryPolicy.WeightedInterleave => Weighted(),
            NumaMemoryPolicy.Saturate => InOrder(request.Policy, [.. Spread().OrderBy(HasNoCpus).Select(IdOf)]),
            _ => new MemoryShares(request.Policy, [], []),
        };
    }

    /// <summary>
    /// The nodes that memory may come from: the requested ones, or any if none of those has ordinary memory, because it must come
    /// from somewhere; besides, the devices that the request names.
    /// </summary>
    public static ImmutableArray<NumaNode> Sources(NumaTopology topology, NumaPlanRequest request)
    {
        var wanted = IdsOf(CpuSelection.WantedNodes(topology, request).Where(static node => node.IsMemoryAllowed));
        var ids = wanted.Overlaps(topology.MemoryNodes) ? wanted : wanted.Union(topology.MemoryNodes);
        return [.. topology.Nodes.Where(node => ids.Contains(node.NodeId))];
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
                + $"{_topology.GetDistance(node.Id, first.Id)}).");
        }

        // The kernel goes by distance alone, and a CXL device is often nearer than the other socket.
        return _request.BindMode == NumaBindMode.Advisory && _fast.Length < _ordinary.Length && !_tiers.IsSlow(first)
            ? InOrder(NumaMemoryPolicy.Local, [first.Id, .. _fast.Select(IdOf).Where(id => id != first.Id)])
            : new MemoryShares(NumaMemoryPolicy.Local, [first.Id], []);
    }

    // A device's memory is for its own pool, and for policies that name all nodes.
    private NumaNode FirstOf(NumaNode node) => _topology.GetNodesByDistance(node.Id)
        .Where(source => _sourceIds.Contains(source.NodeId) && (source.Id == node.Id || !source.IsDevice))
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
        [.. ids.Take(1), .. ids.Skip(1).OrderBy(id => _topology.GetDistance(ids[0], id))],
        []);

    // Equal shares of a slower tier would make every access slower on average; a request that names the nodes gets them.
    private ImmutableArray<NumaNode> Spread()
    {
        if (_request.Nodes is not null || _fast.IsEmpty || _fast.Length == _sources.Length)
        {
            return _sources;
        }

        _notes.Add(
            $"Nodes {_sourceIds.Except(IdsOf(_fast))} have slower memory (a lower tier) and are left out of {_request.Policy}; "
            + "to use them, name them in Nodes.");
        return _fast;
    }

    private MemoryShares Weighted() => new(
        NumaMemoryPolicy.WeightedInterleave,
        [.. _sources.Select(IdOf)],
        _request.Weights.Count > 0
            ? [.. _sources.Select(node => _request.Weights.TryGetValue(node.Id, out var weight) ? weight : 1)]
            : BandwidthWeights.Of(_sources, _notes));

    private static NumaNodeId IdOf(NumaNode node) => node.Id;

    private static CpuSet IdsOf(IEnumerable<NumaNode> nodes) => CpuSet.FromIds(nodes.Select(static node => node.NodeId));
}

/// <summary>
/// Shares in proportion to bandwidth, computed as in the kernel (mm/mempolicy.c, reduce_interleave_weights), so that its
/// automatic weights and ours agree.
/// </summary>
internal static class BandwidthWeights
{
    private const int Weightiness = 32;
    private const int CpuInitiators = 1;

    public static ImmutableArray<int> Of(ImmutableArray<NumaNode> nodes, PlanNotes notes)
    {
        long[] bandwidths = [.. nodes.Select(BandwidthOf)];
        var unknown = nodes.Where((_, index) => bandwidths[index] == 0).Select(static node => node.NodeId);
        if (bandwidths.Contains(0))
        {
            notes.Add(
                $"The memory bandwidth of nodes {CpuSet.FromIds(unknown)} is unknown (HMAT); all nodes get the same share.");
            return [.. nodes.Select(static _ => 1)];
        }

        var sum = bandwidths.Sum();
        int[] weights = [.. bandwidths.Select(bandwidth => (int)Math.Max(1, Weightiness * bandwidth / sum))];
        var divisor = weights.Aggregate(0, GreatestCommonDivisor);
        ImmutableArray<int> reduced = [.. weights.Select(weight => weight / divisor)];
        notes.Add(
            $"Nodes {string.Join(',', nodes.Select(static node => node.NodeId))} get shares {string.Join(',', reduced)}, in "
            + "proportion to the bandwidth of their memory (HMAT).");
        return reduced;
    }

    private static long BandwidthOf(NumaNode node)
    {
        var access = node.Access.OrderByDescending(static access => access.AccessClass == CpuInitiators).FirstOrDefault();
        var read = access?.ReadBandwidth ?? 0;
        return Math.Max(0, Math.Min(read, access?.WriteBandwidth ?? read));
    }

    private static int GreatestCommonDivisor(int left, int right) =>
        right == 0 ? left : GreatestCommonDivisor(right, left % right);
}

/// <summary>
/// Which memory is of a slower kind. As in the kernel (mm/memory-tiers.c, top_tier_adistance), the slowest tier that has CPUs is
/// the last to count as fast: the kernel demotes cold pages to the tiers below.
/// </summary>
internal sealed class MemoryTiers(NumaTopology topology)
{
    private readonly int? _slowestWithCpus = topology.Nodes
        .Where(static node => !(node.Cpus.IsEmpty && node.OnlineCpus.IsEmpty))
        .Max(static node => node.MemoryTier);

    /// <summary>False if the tiers are unknown.</summary>
    public bool IsSlow(NumaNode node) => node.MemoryTier > _slowestWithCpus;
}

/// <summary>The memory part of a <see cref="NumaNodePlan"/>.</summary>
internal readonly record struct MemoryShares(
    NumaMemoryPolicy Policy, ImmutableArray<NumaNodeId> NodeIds, ImmutableArray<int> Weights);
