using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <content>Figures, a change of nodes, giving memory back, the end.</content>
public sealed unsafe partial class NumaAllocator : ITimed
{
    private readonly Lock _applyLock = new();
    private readonly Lock _reclaimLock = new();
    private readonly RenewalTimer _renewing;
    private volatile bool _disposed;
    private volatile bool _released;
    private bool _hasEnded;
    private long _outstanding;

    private readonly IntervalTimer _trimmer;
    private long _keepBytes;

    // Kept, so that trimming takes no managed memory; under the reclaim lock.
    private readonly List<uint> _magazines = [];

    /// <summary>Bytes in blocks that are in use, of all nodes, rounded up to their size classes. A snapshot.</summary>
    public long AllocatedBytes => _nodes.Sum(node => StatisticsOf(node).AllocatedBytes);

    /// <summary>Bytes of memory taken from the system, of all nodes. A snapshot.</summary>
    public long CommittedBytes => _nodes.Sum(static node => node.CommittedBytes);

    /// <summary>The figures of a node.</summary>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>A snapshot.</returns>
    public NumaAllocatorStatistics GetStatistics(NumaNodeId nodeId) => StatisticsOf(_nodes[FindNode(nodeId)]);

    /// <summary>
    /// Applies a plan that follows the current one: new memory comes from its nodes. Blocks stay valid, in place, and with the
    /// node that they were allocated on; pages of free runs of 64 KiB and more are given up, and those of runs in use once all
    /// their blocks have been free at the same time.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on the current plan, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions differ.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_applyLock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            Volatile.Write(ref _current, new CurrentNode(plan, _affinity));
            var isMoved = false;

            // May be repeated: an interruption must not leave some nodes behind.
            Interruption.Outlast(() =>
            {
                foreach (var node in plan.Nodes)
                {
                    isMoved |= _nodes[node.NodeIndex].MoveTo(
                        MemorySource.Of(node), MemorySource.FirstTouchCpusOf(plan, node));
                }

                if (isMoved)
                {
                    _renewing.Start();
                }
            });
        }
    }

    /// <summary>
    /// Changes <see cref="NumaNodeMemoryOptions.TrimAfter"/> and <see cref="NumaNodeMemoryOptions.KeepPerNode"/>, from now on. An
    /// allocator that is disposed stays as it is. Thread-safe.
    /// </summary>
    /// <param name="trimAfter">How long unused free memory stays: from 1 ms to 49 days, or 0 for ever.</param>
    /// <param name="keepPerNode">How many bytes of each node stay even if unused.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range; neither has changed.</exception>
    public void SetTrimming(TimeSpan trimAfter, long keepPerNode)
    {
        IntervalTimer.CheckInterval(trimAfter);
        ArgumentOutOfRangeException.ThrowIfNegative(keepPerNode);
        Volatile.Write(ref _keepBytes, keepPerNode);
        _trimmer.SetInterval(trimAfter);
    }

    /// <summary>
    /// Gives memory back to the system that is free in whole chunks of 1 MiB, and cached large blocks, whichever thread keeps it;
    /// of each live thread, one block of each size stays.
    /// </summary>
    /// <returns>How many bytes were given back.</returns>
    /// <exception cref="InvalidOperationException">
    /// With <see cref="NumaMemoryCheckMode.Full"/>: memory outside of all blocks in use was written to.
    /// </exception>
    public long Trim()
    {
        var trimmed = TrimUnchecked();
        _guard?.Verify();
        return trimmed;
    }

    /// <summary>
    /// Ends allocating. Blocks in use stay valid and are freed as before; memory is released with the last one. Where other
    /// threads have used the allocator and still run, a block of each of their sizes and the address space are released when
    /// nothing refers to the allocator any more, or when this is called again after they have ended.
    /// </summary>
    public void Dispose()
    {
        // Both may be repeated: an interruption must not end a disposal half-way.
        Interruption.Outlast(EndOnce);
        _guard?.ReportAtEnd();
        Interruption.Outlast(ReleaseWhenAllAreFree);
    }

    void ITimed.OnTick()
    {
        lock (_reclaimLock)
        {
            if (_disposed)
            {
                return;
            }

            CollectFromThreads(CollectIdle);
            foreach (var node in _nodes)
            {
                node.ReleaseFreeRuns(everything: false, _magazines);
                node.Trim(_keepBytes, idleOnly: true);
            }

            DiscardMagazines();
        }
    }

    // Free memory still has pages of the former nodes. An allocation at the limit waits for the lock meanwhile.
    private bool RenewFree()
    {
        lock (_reclaimLock)
        {
            if (_disposed || !Array.Exists(_nodes, static node => node.HasOldPages))
            {
                return false;
            }

            CollectFromThreads(Collect);
            foreach (var node in _nodes)
            {
                if (node.HasOldPages)
                {
                    node.ReleaseFreeRuns(everything: true, _magazines);
                }
            }

            return Array.Exists(_nodes, static node => node.HasOldPages);
        }
    }

    /// <summary>As <see cref="Trim"/>, without the check.</summary>
    internal long TrimUnchecked()
    {
        lock (_reclaimLock)
        {
            if (_disposed)
            {
                return 0;
            }

            var released = Reclaim();
            DiscardMagazines();
            return released + _nodes.Sum(static node => node.Trim(0, idleOnly: false));
        }
    }

    private long Reclaim()
    {
        lock (_reclaimLock)
        {
            if (_disposed)
            {
                return 0;
            }

            _guard?.ReleaseHeld();
            CollectFromThreads(Collect);
            long released = 0;
            foreach (var node in _nodes)
            {
                released += node.ReleaseFreeRuns(everything: true, _magazines);
                released += node.ReleaseCachedLarge();
            }

            return released;
        }
    }

    private void DiscardMagazines()
    {
        try
        {
            foreach (var node in _nodes)
            {
                node.TakeEmptyMagazines(_magazines);
            }

            _store.Discard(_magazines);
        }
        finally
        {
            // Whatever throws: one that is still here would be in two lists.
            _magazines.Clear();
        }
    }

    private static void CollectIdle(ThreadHeap heap)
    {
        if (!heap.Thread.IsAlive)
        {
            Interlocked.MemoryBarrier();
            heap.Drain();
        }
        else if (heap.TakeVisits() == 0)
        {
            heap.GiveBackSpares();
        }
    }

    private void EndOnce()
    {
        lock (_reclaimLock)
        {
            if (!_hasEnded)
            {
                End();
            }
        }
    }

    private void End()
    {
        _guard?.Close();
        lock (_heapsLock)
        {
            _disposed = true;
        }

        CollectFromThreads(Collect);
        foreach (var node in _nodes)
        {
            node.Close();
        }

        _trimmer.Dispose();
        _renewing.Dispose();
        _homeTimer?.Dispose();
        _range.ReleaseWhenUnreachable(() => CountInUse() == 0);

        // Blocks freed after they were counted have been subtracted already.
        var inUse = CountInUse();
        Interlocked.Add(ref _outstanding, inUse);
        ThreadSlotIds.Return(_slot);
        _hasEnded = true;
    }

    // Exact only near the end: operations that threads began before the disposal are not counted.
    private void OnFreedAfterDispose()
    {
        if (Interlocked.Decrement(ref _outstanding) <= 2L * Volatile.Read(ref _heaps).Length)
        {
            Interruption.Outlast(ReleaseWhenAllAreFree);
        }
    }

    private void ReleaseWhenAllAreFree()
    {
        lock (_reclaimLock)
        {
            if (_released || CountInUse() > 0)
            {
                return;
            }

            foreach (var heap in _heaps)
            {
                lock (heap.Lock)
                {
                    Collect(heap);
                }
            }

            // A thread in the middle of an operation that it began before the disposal may be about to hand out the block
            // that it kept, or to touch the map and its magazines.
            if (Array.Exists(_heaps, static heap => heap.Thread != Thread.CurrentThread && heap.Thread.IsAlive))
            {
                foreach (var node in _nodes)
                {
                    node.ReleaseFreeRuns(everything: true, _magazines);
                    node.Trim(0, idleOnly: false);
                }

                return;
            }

            _released = true;
            foreach (var node in _nodes)
            {
                node.Discard();
            }

            var released = _range.Release();
            foreach (var node in _nodes)
            {
                node.OnRangeReleased(released);
            }

            _range.Dispose();
            _mapRegion.Dispose();
            _store.Dispose();
        }
    }

    // After the disposal: no magazine comes or goes.
    private long CountInUse()
    {
        var taken = _nodes.Sum(static node => node.CountTaken());
        foreach (var heap in _heaps)
        {
            taken -= heap.CountAll();
        }

        return taken;
    }

    private AllocatorNode CreateNode(
        NumaPlan plan, NumaNodePlan node, NumaAllocatorOptions options, INumaMemoryProvider memory) => new(
        node.NodeIndex,
        new NodeMemory($"allocator of node {node.NodeId}", MemoryPlace.Of(plan, node), options, memory),
        _range,
        _map + (node.NodeIndex * (nint)(_range.BytesPerNode >> AllocatorChunk.SmallRunShift)),
        _store,
        isGuarded: _guard is not null);

    private (RenewalTimer Renewing, IntervalTimer Trimmer, HomeTimer? Home) CreateTimers(NumaAllocatorOptions options)
    {
        var (time, fallbacks) = (options.Time ?? BackgroundTime.Trimming, options.Fallbacks ?? MemoryDefaults.Fallbacks);
        try
        {
            return (
                new RenewalTimer(RenewFree, _applyLock, time, fallbacks),
                new IntervalTimer(this, options.TrimAfter, time, fallbacks),
                _nodes.Length > 1 && _guard is null
                    ? new HomeTimer(this, options.Time ?? BackgroundTime.Instance, fallbacks)
                    : null);
        }
        catch
        {
            ThreadSlotIds.Return(_slot);
            throw;
        }
    }

    private NativeRegion ReserveMap(INumaMemoryProvider memory)
    {
        var bytes = (long)(_range.Size >> AllocatorChunk.SmallRunShift) * sizeof(ushort);
        if (NativeRegion.TryReserve(memory, bytes, out var region) && region.EnsureCommitted(bytes))
        {
            return region;
        }

        region?.Dispose();
#pragma warning disable CA2201 // The BCL's own type for this.
        throw new OutOfMemoryException($"No memory for the allocator's own data: it needs {bytes} bytes.");
#pragma warning restore CA2201
    }
}
