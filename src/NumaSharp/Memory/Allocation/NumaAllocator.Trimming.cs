using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>Giving memory back to the system.</content>
public sealed unsafe partial class NumaAllocator : ITimed
{
    private readonly IntervalTimer _trimmer;
    private long _keepBytes;

    // Kept, so that trimming takes no managed memory; under the reclaim lock.
    private readonly List<uint> _magazines = [];

    /// <summary>
    /// Changes <see cref="NumaNodeMemoryOptions.TrimAfter"/> and <see cref="NumaNodeMemoryOptions.KeepPerNode"/>, from now on. An
    /// allocator that is disposed stays as it is. Thread-safe.
    /// </summary>
    /// <param name="trimAfter">How long unused free memory stays; 0 for ever, else from 1 ms to 49 days.</param>
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
    /// With <see cref="NumaMemoryChecks.Full"/>: memory outside of all blocks in use was written to.
    /// </exception>
    public long Trim()
    {
        var trimmed = TrimUnchecked();
        _guard?.Verify();
        return trimmed;
    }

    private long TrimUnchecked()
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
}
