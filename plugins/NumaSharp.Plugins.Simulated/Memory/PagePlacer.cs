using NumaSharp.Core;
using NumaSharp.Plugins.Simulated.Machine;

namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>
/// The nodes that a page is taken from, in order (set_mempolicy(2)): those of its placement nearest first, then, unless it is
/// bound, the others nearest first. Device memory is taken only where it is named.
/// </summary>
internal sealed class PagePlacer
{
    private readonly MachineState _state;
    private readonly NodeLedger _ledger;
    private readonly NumaNodeId _local;
    private readonly bool _isInterleaved;
    private readonly SimulatedNodeOptions[] _named;
    private readonly SimulatedNodeOptions[] _others;

    public PagePlacer(MachineState state, NodeLedger ledger, NumaPlacement? placement, NumaNodeId localNodeId)
    {
        _state = state;
        _ledger = ledger;
        _local = localNodeId;
        _isInterleaved = placement?.Kind == NumaPlacementKind.Interleaved;
        var nodes = placement?.Nodes ?? CpuSet.FromIds(localNodeId.Value);
        var nearest = NearestFirst().ToArray();
        _named = [.. nearest.Where(node => nodes.Contains(node.NodeId.Value))];
        _others = placement?.Kind == NumaPlacementKind.Bound
            ? []
            : [.. nearest.Where(node => !nodes.Contains(node.NodeId.Value) && !node.IsDevice)];
        Wanted = _named.Length > 0 ? _named[0].NodeId : new NumaNodeId(nodes.First);
        if (_isInterleaved)
        {
            Array.Sort(_named, static (left, right) => left.NodeId.CompareTo(right.NodeId));
        }
    }

    /// <summary>The node that a page comes from if no node is full.</summary>
    public NumaNodeId Wanted { get; }

    /// <summary>Takes a page.</summary>
    /// <returns>Its node, or <see langword="null"/> if none has memory left.</returns>
    public NumaNodeId? Take(long page)
    {
        var first = _isInterleaved && _named.Length > 0 ? (int)(page % _named.Length) : 0;
        var wanted = _named.Length > 0 ? _named[first].NodeId : Wanted;
        for (var i = 0; i < _named.Length + _others.Length; i++)
        {
            var node = i < _named.Length ? _named[(first + i) % _named.Length] : _others[i - _named.Length];
            if (_ledger.TryTake(node, wanted, _local, _isInterleaved))
            {
                return node.NodeId;
            }
        }

        return null;
    }

    private IEnumerable<SimulatedNodeOptions> NearestFirst() =>
        _state.Options.Nodes
            .Where(node => node.MemoryBytes > 0 && _state.Options.AllowedNodes?.Contains(node.NodeId.Value) != false)
            .OrderBy(node => node.NodeId == _local ? int.MinValue : _state.Topology.GetDistance(_local, node.NodeId))
            .ThenBy(static node => node.NodeId);
}
