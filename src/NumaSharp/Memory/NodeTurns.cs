using System.Collections;
using System.Collections.Immutable;

namespace NumaSharp.Core.Memory;

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
