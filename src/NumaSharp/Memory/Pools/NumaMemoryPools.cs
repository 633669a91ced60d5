using System.Collections.Immutable;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <summary>One <see cref="NumaMemoryPool"/> per node of a plan. Thread-safe.</summary>
public sealed class NumaMemoryPools : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ImmutableArray<NumaMemoryPool> _pools;
    private readonly INumaAffinityProvider _affinity;
    private NumaPlan _plan;
    private CurrentNode _current;

    /// <summary>Creates the pools; memory is taken when it is rented.</summary>
    /// <param name="plan">The nodes, and how memory is bound.</param>
    /// <param name="options">The rest; the defaults where it is <see langword="null"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public NumaMemoryPools(NumaPlan plan, NumaMemoryPoolsOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        options ??= new NumaMemoryPoolsOptions();
        _plan = plan;
        _affinity = options.Affinity ?? NumaPlatform.Default.Affinity;
        _current = new CurrentNode(plan, _affinity);
        _pools = CreatePools(plan, options);
    }

    /// <summary>How many pools there are: one per node of the plan.</summary>
    public int Count => _pools.Length;

    /// <summary>
    /// The pool of the node that the calling thread runs on. For an unpinned thread the node is looked up now and then, not at
    /// each call.
    /// </summary>
    public NumaMemoryPool Current => _pools[Volatile.Read(ref _current).Index];

    /// <summary>The pool of a node by its position in the plan.</summary>
    /// <param name="nodeIndex">The position in <see cref="NumaPlan.Nodes"/>.</param>
    /// <returns>The pool.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is no such position.</exception>
    public NumaMemoryPool this[int nodeIndex]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)nodeIndex, (uint)_pools.Length, nameof(nodeIndex));
            return _pools[nodeIndex];
        }
    }

    /// <summary>The pool of a node by its kernel id; the nearest one's where the plan lacks it.</summary>
    /// <param name="nodeId">The kernel id.</param>
    /// <returns>The pool.</returns>
    public NumaMemoryPool ForNode(NumaNodeId nodeId) => _pools[Volatile.Read(ref _plan).GetNearestNode(nodeId).NodeIndex];

    /// <summary>
    /// Applies a plan that follows the current one: pools take new memory from its nodes. Blocks stay valid, and those in use
    /// stay in place; free ones get new pages, and so do those in use once they are back.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on the current plan, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions differ.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_lock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            Volatile.Write(ref _current, new CurrentNode(plan, _affinity));

            // May be repeated: an interruption must not leave some pools behind.
            Interruption.Outlast(() =>
            {
                foreach (var node in plan.Nodes)
                {
                    _pools[node.NodeIndex].MoveTo(MemorySource.Of(node), MemorySource.FirstTouchCpusOf(plan, node));
                }
            });
        }
    }

    /// <summary>
    /// Changes when all pools give memory back by themselves, as <see cref="NumaMemoryPool.SetTrimming"/> does.
    /// </summary>
    /// <param name="trimAfter">How long unused free memory stays: from 1 ms to 49 days, or 0 for ever.</param>
    /// <param name="keepPerNode">How many bytes of each pool stay even if unused.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range; nothing has changed.</exception>
    public void SetTrimming(TimeSpan trimAfter, long keepPerNode)
    {
        foreach (var pool in _pools)
        {
            pool.SetTrimming(trimAfter, keepPerNode);
        }
    }

    /// <summary>Takes memory for every node, as <see cref="NumaMemoryPool.Preallocate"/> does.</summary>
    /// <param name="bytesPerNode">How much each pool has afterwards, at least.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is negative.</exception>
    /// <exception cref="ObjectDisposedException">The pools are disposed.</exception>
    /// <exception cref="OutOfMemoryException">The system has no more memory; what was taken by then stays.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    public void Preallocate(long bytesPerNode)
    {
        foreach (var pool in _pools)
        {
            pool.Preallocate(bytesPerNode);
        }
    }

    /// <summary>Gives free memory of all pools back to the system, as <see cref="NumaMemoryPool.Trim"/> does.</summary>
    /// <returns>How many bytes were given back.</returns>
    public long Trim() => _pools.Sum(static pool => pool.Trim());

    internal nuint PageSize => _pools[0].PageSize;

    /// <summary>Disposes the pools. Blocks that are rented stay valid; memory is released when the last one is back.</summary>
    public void Dispose()
    {
        foreach (var pool in _pools)
        {
            pool.Dispose();
        }
    }

    private static ImmutableArray<NumaMemoryPool> CreatePools(NumaPlan plan, NumaMemoryPoolsOptions options)
    {
        var pools = ImmutableArray.CreateBuilder<NumaMemoryPool>(plan.Nodes.Count);
        try
        {
            foreach (var node in plan.Nodes)
            {
                pools.Add(new NumaMemoryPool(options, MemoryPlace.Of(plan, node)));
            }

            return pools.MoveToImmutable();
        }
        catch
        {
            // No thread for a timer, or what a provider throws: the caller gets no pools to dispose of.
            foreach (var pool in pools)
            {
                pool.Dispose();
            }

            throw;
        }
    }
}
