using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Figures, giving memory back, the end.</content>
public sealed unsafe partial class NumaAllocator
{
    private readonly Lock _applyLock = new();
    private readonly Lock _releaseLock = new();
    private bool _disposed;
    private bool _released;

    /// <summary>Bytes in blocks that are in use, of all nodes, rounded up to their size classes. A snapshot.</summary>
    public long AllocatedBytes => _nodes.Sum(static node => node.GetStatistics().AllocatedBytes);

    /// <summary>Bytes of memory taken from the system, of all nodes. A snapshot.</summary>
    public long CommittedBytes => _nodes.Sum(static node => node.GetStatistics().CommittedBytes);

    /// <summary>The figures of a node.</summary>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>A snapshot.</returns>
    public NumaAllocatorStatistics GetStatistics(int nodeId) => FindNode(nodeId).GetStatistics();

    /// <summary>
    /// Carries out a plan that follows the current one: new memory comes from the nodes that it says. Blocks stay valid, where
    /// they are, and with the node that they were allocated on.
    /// </summary>
    /// <param name="plan">What <see cref="NumaPlan.Adapt"/> made of the current plan, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was made of another plan: its positions are other ones.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_applyLock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            Volatile.Write(ref _current, new CurrentNode(plan, _affinity));
            foreach (var node in plan.Nodes)
            {
                _nodes[node.NodeIndex].MoveTo(MemorySource.Of(node), MemorySource.FirstTouchCpusOf(plan, node));
            }
        }
    }

    /// <summary>Gives memory back to the system that is free in whole chunks of 1 MiB.</summary>
    /// <returns>How many bytes were given back.</returns>
    public long Trim() => _nodes.Sum(static node => node.Trim());

    /// <summary>
    /// Ends allocating. Blocks in use stay valid and are freed as before; memory is released with the last one.
    /// </summary>
    public void Dispose()
    {
        Volatile.Write(ref _disposed, true);
        ReleaseWhenAllAreFree();
    }

    private void ReleaseWhenAllAreFree()
    {
        lock (_releaseLock)
        {
            // Closing is checked under the locks of heaps and nodes: nothing is allocated after this count.
            if (_released || _nodes.Sum(static node => node.Close()) > 0)
            {
                return;
            }

            _released = true;
            var result = _range.Release();
            foreach (var node in _nodes)
            {
                node.OnRangeReleased(result);
            }
        }
    }

    private NodeMemorySettings SettingsOf(NumaNodePlan node, NumaAllocatorOptions options) => new()
    {
        Owner = $"allocator of node {node.NodeId}",
        NodeId = node.NodeId,
        Source = MemorySource.Of(node),
        LimitBytes = options.LimitPerNode,
        BindMode = _plan.BindMode,
        Provider = options.Memory ?? NumaPlatform.Default.Memory,
        Affinity = _affinity,
        FirstTouchCpus = MemorySource.FirstTouchCpusOf(_plan, node),
        Fallbacks = options.Fallbacks ?? NumaMemoryPool.DefaultFallbacks,
    };
}
