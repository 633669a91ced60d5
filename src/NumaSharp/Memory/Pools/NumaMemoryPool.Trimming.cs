using System.Diagnostics;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>Giving slabs back to the system.</content>
public sealed partial class NumaMemoryPool : ITimed
{
    private readonly IntervalTimer _trimmer;
    private long _keepBytes;

    // Held while slabs are given back: a rent at the limit waits for it. Taken before the pool's lock.
    private readonly Lock _releasing = new();
    private readonly Stack<PoolSlab> _retired = new();
    private long _retiredBytes;

    /// <summary>
    /// Changes <see cref="NumaNodeMemoryOptions.TrimAfter"/> and <see cref="NumaNodeMemoryOptions.KeepPerNode"/>, from now on. A
    /// pool that is disposed stays as it is.
    /// </summary>
    /// <param name="trimAfter">How long unused free memory stays; 0 for ever, else from 1 ms to 49 days.</param>
    /// <param name="keepBytes">How many bytes stay even if unused.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range; neither has changed.</exception>
    public void SetTrimming(TimeSpan trimAfter, long keepBytes)
    {
        IntervalTimer.CheckInterval(trimAfter);
        ArgumentOutOfRangeException.ThrowIfNegative(keepBytes);
        Volatile.Write(ref _keepBytes, keepBytes);
        _trimmer.SetInterval(trimAfter);
    }

    // Slabs that have been wholly free since the last tick are given back. Then the blocks that threads keep are collected, so
    // that the next tick can tell what was needed: their caches count nothing themselves. The gate is closed for that only.
    // Nothing here visits each free block: the lock is held for as many steps as the pool has slabs, and blocks that threads keep
    // or gave up last.
    void ITimed.OnTick()
    {
        lock (_lock)
        {
            if (_isDisposed)
            {
                return;
            }

            foreach (var size in _classes)
            {
                CondemnWhole(size, isIdleOnly: true, _keepBytes);
            }

            if (CommittedBytes - _retiredBytes > _keepBytes)
            {
                GatherFree();
            }
        }

        ReleaseRetired();
    }

    /// <summary>The blocks and slabs visited under the lock. For tests.</summary>
    internal long LockedSteps => _classes.Sum(static size => size.Free.Steps);

    private void GatherFree()
    {
        GatherFromThreads();
        foreach (var slab in _classes.SelectMany(static size => size.Free.FindWhole()))
        {
            slab.IsIdle = true;
        }
    }

    private void GatherFromThreads()
    {
        DrainThreads();
        Settle();
    }

    private void DrainThreads()
    {
        if (_caches.Exists(static cache => !cache.IsEmpty))
        {
            WithGateClosed(DrainAll);
        }
    }

    /// <summary>Takes slabs out of use that are wholly free.</summary>
    private void CondemnWhole(PoolSizeClass size, bool isIdleOnly, long keepBytes)
    {
        var retired = _retired.Count;
        foreach (var slab in size.Free.FindWhole())
        {
            var kept = CommittedBytes - _retiredBytes - (long)slab.CommittedBytes;
            if ((slab.IsIdle || !isIdleOnly) && kept >= keepBytes)
            {
                Condemn(size, slab);
            }
        }

        if (_retired.Count > retired)
        {
            size.RemoveRetired();
        }
    }

    // Under the lock: none of its blocks is in use.
    private void Condemn(PoolSizeClass size, PoolSlab slab)
    {
        size.Free.Drop(slab);
        size.Created -= slab.Carved;
        Retire(slab);
    }

    private void Retire(PoolSlab slab)
    {
        slab.IsRetired = true;
        _retired.Push(slab);
        _retiredBytes += (long)slab.CommittedBytes;
    }

    /// <summary>
    /// Gives back retired slabs. When it returns, all that were retired before the call are given back, and no longer count
    /// towards the limit, whichever thread has done it. Called without the pool's lock: munmap(2) takes its time.
    /// </summary>
    private void ReleaseRetired()
    {
        Debug.Assert(!_lock.IsHeldByCurrentThread, "Others need the pool while the kernel unmaps.");
        using (UninterruptedLock.Enter(_releasing))
        {
            while (TakeRetired() is { } slab)
            {
                Release(slab);
            }
        }
    }

    private PoolSlab? TakeRetired()
    {
        using (UninterruptedLock.Enter(_lock))
        {
            return _retired.TryPop(out var slab) ? slab : null;
        }
    }

    // Counted as retired until it is gone: the bytes to keep are counted without it.
    private void Release(PoolSlab slab)
    {
        var bytes = (long)slab.CommittedBytes;
        try
        {
            _checks?.Forget(slab.Address, slab.Size);
            slab.UntrackAll();
            slab.IsReleased = _memory.Release(slab.Address, slab.Size, slab.CommittedBytes);
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                _retiredBytes -= bytes;
            }
        }
    }
}
