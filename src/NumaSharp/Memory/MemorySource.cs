using System.Collections;
using System.Collections.Immutable;

namespace NumaSharp.Core.Memory;

/// <summary>
/// Which nodes the memory of a pool or of an allocator's node comes from: the only place where a plan becomes placements.
/// </summary>
internal sealed class MemorySource
{
    private readonly NumaMemoryPolicy _policy;
    private readonly ImmutableArray<NumaNodeId> _nodeIds;
    private readonly ImmutableArray<int> _weights;
    private readonly CpuSet _set;

    private MemorySource(NumaMemoryPolicy policy, ImmutableArray<NumaNodeId> nodeIds, ImmutableArray<int> weights)
    {
        _policy = policy;
        _nodeIds = nodeIds;
        _weights = weights;
        _set = CpuSet.FromIds(nodeIds.Select(static id => id.Value));
    }

    /// <summary>The node that pages come from, or come from first.</summary>
    public NumaNodeId FirstNodeId => _nodeIds[0];

    /// <summary>Whether several nodes take turns.</summary>
    public bool IsShared =>
        _nodeIds.Length > 1 && _policy is NumaMemoryPolicy.Interleave or NumaMemoryPolicy.WeightedInterleave;

    /// <summary>Whether their shares are of different sizes.</summary>
    public bool HasWeights => IsShared && _weights.Length > 0;

    /// <summary>Whether both place every page alike.</summary>
    public bool IsSameAs(MemorySource other) =>
        _policy == other._policy && _nodeIds.SequenceEqual(other._nodeIds) && _weights.SequenceEqual(other._weights);

    public static MemorySource Of(NumaNodeId nodeId) => new(NumaMemoryPolicy.Local, [nodeId], []);

    public static MemorySource Of(NumaNodePlan node) => new(node.MemoryPolicy, [.. node.MemoryNodeIds], [.. node.MemoryWeights]);

    /// <summary>
    /// The CPUs to touch memory from if it cannot be bound: those of the node that is used first, if it has some and is not one
    /// of several that take turns; otherwise those that do the node's work. None if nothing is pinned, or if all memory is on one
    /// node: then every page is on it, whichever thread touches it.
    /// </summary>
    public static CpuSet? FirstTouchCpusOf(NumaPlan plan, NumaNodePlan node)
    {
        if (!plan.IsEnabled || plan.Topology.MemoryNodes.Count < 2)
        {
            return null;
        }

        var source = Of(node).IsShared ? null : plan.FindNode(node.MemoryNodeId);
        return plan.CommonOf(source is { ServesItself: true } ? source.Cpus : node.Cpus);
    }

    /// <summary>The placement of a whole range.</summary>
    public NumaPlacement PlacementFor(NumaBindMode mode) => this switch
    {
        { HasWeights: true } => new(NumaPlacementKind.WeightedInterleaved, _set) { Weights = _weights },
        { IsShared: true } => new(NumaPlacementKind.Interleaved, _set),
        _ => new(KindOf(mode), _set) { HomeNodeId = _nodeIds.Length > 1 ? FirstNodeId : null },
    };

    /// <summary>The placements of its pieces, if the nodes cannot take turns page by page.</summary>
    public IEnumerable<NumaPlacement> TurnsFor(NumaBindMode mode)
    {
        var kind = KindOf(mode);
        return new NodeTurns(_nodeIds, _weights).Select(nodeId => new NumaPlacement(kind, CpuSet.FromIds(nodeId.Value)));
    }

    public override string ToString() => (_nodeIds.Length == 1 ? "node " : "nodes ") + string.Join(',', _nodeIds);

    private static NumaPlacementKind KindOf(NumaBindMode mode) =>
        mode == NumaBindMode.Strict ? NumaPlacementKind.Bound : NumaPlacementKind.Preferred;
}

/// <summary>
/// Endless smooth weighted round-robin over the nodes: the node with the largest credit is next.
/// </summary>
internal sealed class NodeTurns : IEnumerable<NumaNodeId>
{
    private readonly ImmutableArray<NumaNodeId> _nodeIds;
    private readonly ImmutableArray<int> _weights;

    /// <param name="nodeIds">The nodes, at least one.</param>
    /// <param name="weights">Their weights, above 0; empty for the same for all.</param>
    public NodeTurns(ImmutableArray<NumaNodeId> nodeIds, ImmutableArray<int> weights)
    {
        _nodeIds = nodeIds;
        _weights = weights.IsEmpty ? [.. nodeIds.Select(static _ => 1)] : weights;
    }

    public IEnumerator<NumaNodeId> GetEnumerator()
    {
        var total = _weights.Sum();
        var credit = new int[_weights.Length];
        while (true)
        {
            var next = 0;
            for (var i = 0; i < credit.Length; i++)
            {
                credit[i] += _weights[i];
                next = credit[i] > credit[next] ? i : next;
            }

            credit[next] -= total;
            yield return _nodeIds[next];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

/// <summary>Where the memory of a node comes from, for a pool or an allocator.</summary>
/// <param name="NodeId">The node that the memory is for.</param>
/// <param name="Source">The nodes that pages come from.</param>
/// <param name="BindMode">How strictly they are bound.</param>
/// <param name="FirstTouchCpus">The CPUs to touch memory from if it is not bound.</param>
internal sealed record MemoryPlace(NumaNodeId NodeId, MemorySource Source, NumaBindMode BindMode, CpuSet? FirstTouchCpus)
{
    public static MemoryPlace Of(NumaPlan plan, NumaNodePlan node) =>
        new(node.NodeId, MemorySource.Of(node), plan.BindMode, MemorySource.FirstTouchCpusOf(plan, node));

    public static MemoryPlace Of(NumaMemoryPoolOptions options) =>
        Of(options, static () => NumaPlan.Create(NumaTopology.Instance));

    /// <param name="options">The node, and what is known about it.</param>
    /// <param name="planOfMachine">Gives the plan of the machine, for what the options leave out.</param>
    public static MemoryPlace Of(NumaMemoryPoolOptions options, Func<NumaPlan> planOfMachine)
    {
        var source = options.MemoryNodeId ?? options.NodeId;
        return new(
            options.NodeId,
            MemorySource.Of(source),
            options.BindMode,
            options.FirstTouchCpus ?? FindFirstTouchCpus(options, source, planOfMachine));
    }

    // With a memory provider of its own a pool may be for nodes that this machine does not have.
    private static CpuSet? FindFirstTouchCpus(NumaMemoryPoolOptions options, NumaNodeId source, Func<NumaPlan> planOfMachine)
    {
        if (options.BindMode != NumaBindMode.Advisory || options.Memory is not null)
        {
            return null;
        }

        var plan = planOfMachine();
        return plan.FindNode(source) is { } node ? MemorySource.FirstTouchCpusOf(plan, node) : null;
    }
}
