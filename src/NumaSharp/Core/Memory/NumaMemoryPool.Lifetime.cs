using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Giving memory back: ended threads, trimming, the end.</content>
public sealed partial class NumaMemoryPool
{
    private int _outstanding;

    /// <summary>
    /// Gives memory back to the system that is free in whole slabs (2 MiB), whatever thread keeps it. Threads that rent or
    /// return meanwhile wait.
    /// </summary>
    /// <returns>How many bytes were given back.</returns>
    public long Trim()
    {
        lock (_lock)
        {
            if (_gate != 0)
            {
                return 0;
            }

            var before = CommittedBytes;
            Reclaim();
            return before - CommittedBytes;
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (!disposing)
        {
            return;
        }

        lock (_lock)
        {
            if (_gate != 0)
            {
                return;
            }

            CloseGate(GateDisposed);
            foreach (var cache in _caches)
            {
                Drain(cache);
                cache.Detach();
            }

            _caches.Clear();
            PoolThreadCache.Ids.Return(_id);
            _outstanding = _classes.Sum(static size => size.Created - size.Free.Count);
            ReleaseWhenAllAreBack();
        }
    }

    private void OnReturnedAfterDispose()
    {
        _outstanding--;
        ReleaseWhenAllAreBack();
    }

    private void ReleaseWhenAllAreBack()
    {
        if (_outstanding > 0)
        {
            return;
        }

        foreach (var size in _classes)
        {
            foreach (var slab in size.Slabs)
            {
                Release(slab);
            }

            size.Slabs.Clear();
            size.Current = null;
            size.Free.Clear();
            size.Created = 0;
        }
    }

    // Drains every thread's cache and releases what is free then.
    private void Reclaim()
    {
        CloseGate(GateDraining);
        try
        {
            AdoptEndedThreads();
            foreach (var cache in _caches)
            {
                Drain(cache);
            }

            foreach (var size in _classes)
            {
                ReleaseFreeSlabs(size);
            }
        }
        finally
        {
            Volatile.Write(ref _gate, 0);
        }
    }

    /// <summary>Keeps all threads off their caches; those that are at it finish first.</summary>
    private void CloseGate(int reason)
    {
        Volatile.Write(ref _gate, reason);

        // membarrier(2): from here on every thread either sees the closed gate or is seen to be busy.
        Interlocked.MemoryBarrierProcessWide();
        var wait = default(SpinWait);
        foreach (var cache in _caches)
        {
            while (Volatile.Read(ref cache.Busy))
            {
                wait.SpinOnce();
            }
        }
    }

    // No finalizer and no thread-exit hook: whoever needs memory looks whose threads have ended.
    private void AdoptEndedThreads()
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

    private void Drain(PoolThreadCache cache)
    {
        foreach (var size in _classes)
        {
            cache.StackOf(size.Index).MoveTopTo(ref size.Free, int.MaxValue);
        }
    }

    private void ReleaseFreeSlabs(PoolSizeClass size)
    {
        foreach (var slab in size.Slabs)
        {
            slab.FreeBlocks = 0;
        }

        foreach (var block in size.Free.Items)
        {
            block.Slab!.FreeBlocks++;
        }

        foreach (var slab in size.Slabs)
        {
            if (slab.FreeBlocks == slab.Carved)
            {
                size.Created -= slab.Carved;
                Release(slab);
            }
        }

        size.Free.RemoveReleased();
        size.Slabs.RemoveAll(static slab => slab.IsReleased);
        if (size.Current is { IsReleased: true })
        {
            size.Current = size.Slabs.Find(static slab => slab.Remaining > 0);
        }
    }

    private void Release(PoolSlab slab)
    {
        slab.IsReleased = true;
        _memory.Release(slab.Address, slab.Size, slab.CommittedBytes);
    }
}
