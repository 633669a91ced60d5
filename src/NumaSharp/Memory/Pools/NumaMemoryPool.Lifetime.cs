using System.Diagnostics;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Giving memory back: ended threads, trimming, the end.</content>
public sealed partial class NumaMemoryPool : ITimed
{
    // Both under the lock.
    private bool _isDisposed;
    private int _outstanding;

    private readonly IntervalTimer _trimmer;
    private long _keepBytes;

    // Held while slabs are released, or one is bound to other nodes: a rent at the limit waits for it. Taken before the pool's
    // lock.
    private readonly Lock _releasing = new();
    private readonly Stack<PoolSlab> _retired = new();
    private long _retiredBytes;

    /// <summary>The blocks and slabs visited under the lock. For tests.</summary>
    internal long LockedSteps => _classes.Sum(static size => size.Free.Steps);

    /// <summary>
    /// Gives memory back to the system that is free in whole slabs (2 MiB), whichever thread keeps it. Threads that rent or
    /// return meanwhile wait.
    /// </summary>
    /// <returns>How many bytes were given back.</returns>
    /// <exception cref="InvalidOperationException">
    /// With <see cref="NumaMemoryCheckMode.Full"/>: free memory was written to.
    /// </exception>
    public long Trim()
    {
        _checks?.Verify();
        return TrimUnchecked(keepBytes: 0);
    }

    /// <summary>As <see cref="Trim"/>, without the check, and down to so many bytes.</summary>
    internal long TrimUnchecked(long keepBytes)
    {
        PoolSlab[] retired;
        lock (_lock)
        {
            retired = _isDisposed ? [] : RetireFree(keepBytes);
        }

        // Another thread that was releasing may have taken them, and has released them by now.
        ReleaseRetired();
        WaitForReturns();
        return retired.Sum(static slab => slab.IsReleased ? (long)slab.CommittedBytes : 0);
    }

    /// <summary>
    /// Changes <see cref="NumaNodeMemoryOptions.TrimAfter"/> and <see cref="NumaNodeMemoryOptions.KeepPerNode"/>, from now on. A
    /// pool that is disposed stays as it is.
    /// </summary>
    /// <param name="trimAfter">How long unused free memory stays: from 1 ms to 49 days, or 0 for ever.</param>
    /// <param name="keepBytes">How many bytes stay even if unused.</param>
    /// <exception cref="ArgumentOutOfRangeException">One is outside its range; neither has changed.</exception>
    public void SetTrimming(TimeSpan trimAfter, long keepBytes)
    {
        IntervalTimer.CheckInterval(trimAfter);
        ArgumentOutOfRangeException.ThrowIfNegative(keepBytes);
        Volatile.Write(ref _keepBytes, keepBytes);
        _trimmer.SetInterval(trimAfter);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        string[]? damage = null;
        if (disposing && TryEnd(ref damage))
        {
            ReleaseRetired();
            _checks?.ReportAtEnd(damage!);
        }
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

    /// <summary>
    /// As <see cref="Trim"/>, for a rent of a size: takes a block if threads keep any, in the same step, because others would
    /// take them all before the next one. Only before it fails are the owners of all blocks checked.
    /// </summary>
    private bool TryReclaim(PoolSizeClass size, out NumaMemoryBlock block)
    {
        lock (_lock)
        {
            WithGateClosed(DrainAll);
            if (TryRentFree(size, out block))
            {
                return true;
            }

            GatherAll();
            if (TryRentFree(size, out block))
            {
                return true;
            }

            CondemnWhole(keepBytes: 0);
        }

        ReleaseRetired();
        WaitForReturns();
        return false;
    }

    private PoolSlab[] RetireFree(long keepBytes)
    {
        var before = _retired.Count;
        GatherAll();
        CondemnWhole(keepBytes);
        return [.. _retired.Take(_retired.Count - before)];
    }

    // Under the lock.
    private void GatherAll()
    {
        WithGateClosed(() =>
        {
            DrainAll();
            Settle();
            ForgetPopped();
        });
        ReclaimAbandoned();
    }

    private void CondemnWhole(long keepBytes)
    {
        foreach (var size in _classes)
        {
            CondemnWhole(size, isIdleOnly: false, keepBytes);
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
    /// Releases retired slabs. When it returns, all that were retired before the call are released, and no longer count towards
    /// the limit, whichever thread has done it. Called without the pool's lock: munmap(2) takes its time.
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

    // Under the lock, which no cache is added without.
    private void WithGateClosed(Action action)
    {
        try
        {
            CloseGate();
            action();
        }
        finally
        {
            // Takes no managed memory: a gate must not stay closed for want of it.
            foreach (var cache in _caches)
            {
                Volatile.Write(ref cache.Open, this);
            }
        }
    }

    private void DrainAll()
    {
        DrainEndedThreads();
        foreach (var cache in _caches)
        {
            Drain(cache);
        }
    }

    /// <summary>Keeps all threads off their caches; those that are using one finish first.</summary>
    private void CloseGate()
    {
        _caches.ForEach(static cache => Volatile.Write(ref cache.Open, null));

        // membarrier(2): from here on every thread either sees the closed gate or is seen to be busy.
        Interlocked.MemoryBarrierProcessWide();
        _caches.ForEach(static cache => Interruption.WaitWhile(ref cache.Busy));
    }

    // No finalizer and no thread-exit hook: a thread that needs memory looks for caches of ended threads.
    private void DrainEndedThreads()
    {
        for (var i = _caches.Count - 1; i >= 0; i--)
        {
            var cache = _caches[i];
            if (!cache.Thread.IsAlive)
            {
                // After IsAlive, so that everything that the thread wrote is seen.
                Interlocked.MemoryBarrier();
                Drain(cache);
                cache.Detach();
                _caches[i] = _caches[^1];
                _caches.RemoveAt(_caches.Count - 1);
            }
        }
    }

    private void Settle()
    {
        foreach (var size in _classes)
        {
            size.Free.Settle();
        }
    }

    private void Drain(PoolThreadCache cache)
    {
        foreach (var size in _classes)
        {
            size.Free.TakeBottomOf(ref cache.StackOf(size.Index), int.MaxValue);
        }
    }

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

    private bool TryEnd(ref string[]? damage)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            if (_isDisposed)
            {
                return false;
            }

            _trimmer.Dispose();
            _renewing.Dispose();
            damage = _checks?.FindDamage();
            CloseGate();

            // All that exists counts as in use until it is found to be free: whatever fails here, no memory in use is given back.
            _outstanding = _classes.Sum(static size => size.Created) + _growingBlocks;
            _isDisposed = true;
            foreach (var cache in _caches)
            {
                Drain(cache);
                cache.Detach();
            }

            _caches.Clear();
            Settle();
            ForgetPopped();
            ThreadSlotIds.Return(_id);
            _outstanding -= _classes.Sum(static size => EndFree(size));
            CondemnIfAllReturned();
            return true;
        }
    }

    // A block that two threads return at once counts once, whichever of them comes after the disposal: other blocks' memory must
    // stay. Under the lock; condemned slabs are released after it.
    private void OnReturnedAfterDispose(NumaMemoryBlock block)
    {
        if (!block.TryEnd())
        {
            block.ThrowNotRented();
        }

        block.Slab.Untrack(block);
        _classes[block.ClassIndex].Created--;
        _outstanding--;
        CondemnIfAllReturned();
    }

    private static int EndFree(PoolSizeClass size)
    {
        var ended = 0;
        foreach (var slab in size.Slabs)
        {
            foreach (var block in slab.Free.Items)
            {
                ended += block.TryEnd() ? 1 : 0;
            }
        }

        return ended;
    }

    private void CondemnIfAllReturned()
    {
        if (_outstanding > 0)
        {
            return;
        }

        foreach (var size in _classes)
        {
            foreach (var slab in size.Slabs)
            {
                Condemn(size, slab);
            }

            size.Slabs.Clear();
            size.Current = null;
            size.Created = 0;
        }
    }
}
