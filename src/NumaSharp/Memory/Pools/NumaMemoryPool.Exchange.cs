using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>The slow path: batches between threads and the pool, under its lock.</content>
public sealed partial class NumaMemoryPool
{
    // Bytes: a system call costs more than the pages of a smaller block are worth.
    private const int LeastReset = 16 << 10;

    // The mappings of larger blocks: slabs of one block each. A retired one is about to be given back by the thread that returned
    // its block, and stays here until it is.
    private readonly HashSet<PoolSlab> _dedicated = [];

    /// <summary>
    /// Returns the free blocks that the calling thread caches to their pools, for all pools. Call it before a long wait; the
    /// blocks of ended threads are reclaimed without it.
    /// </summary>
    public static void SpillThreadCache()
    {
        foreach (var kept in ThreadSlots.OfThisThread)
        {
            if (kept is PoolThreadCache { Pool: { } pool, IsEmpty: false } cache)
            {
                pool.Spill(cache);
            }
        }
    }

    /// <summary>
    /// Gives the pages of a block that is about to be returned back to the system, if there are enough of them and the return
    /// does not write to all of them. One with a mapping of its own loses it all.
    /// </summary>
    internal void ResetPages(NumaMemoryBlock block)
    {
        if (block.Length >= LeastReset && !block.IsDedicated && !_zeroOnReturn && !IsGuarded)
        {
            _memory.Reset(block.Slab.PlaceOf(block), _classes[block.ClassIndex].Stride);
        }
    }

    private void Spill(PoolThreadCache cache)
    {
        lock (_lock)
        {
            Drain(cache);
        }
    }

    private NumaMemoryBlock RentLocked(PoolSizeClass size) => TryRentFree(size, out var block) ? block : RentNew(size);

    // Blocks that other threads left behind are used before the pool grows.
    private bool TryRentFree(PoolSizeClass size, out NumaMemoryBlock block)
    {
        lock (_lock)
        {
            ThrowIfDisposed();
            if (IsGuarded)
            {
                return size.Free.TryPop(out block);
            }

            ref var stack = ref StackOfThisThread(size);
            if (stack.Count == 0)
            {
                if (size.Free.Count == 0)
                {
                    DrainEndedThreads();
                }

                size.Free.MoveTo(ref stack, size.Batch);
            }

            return stack.TryPop(out block);
        }
    }

    private NumaMemoryBlock RentDedicated(int minBufferSize)
    {
        var size = _memory.RoundToPages((nuint)minBufferSize);
        if (!TryChargeOrReclaim(size))
        {
            throw _memory.OutOfMemory((long)size, NumaResult.Success);
        }

        // Without the lock: touching or clearing so many pages takes long, and other threads want small blocks.
        var result = _memory.MapCharged(size, _memory.PageSize, out var address);
        if (!result.Succeeded)
        {
            throw _memory.OutOfMemory((long)size, result);
        }

        NumaMemoryBlock? block = null;
        try
        {
            block = TryAddDedicated(address, size, minBufferSize);
            return block ?? throw Disposed();
        }
        finally
        {
            if (block is null)
            {
                _memory.Release(address, size, size);
            }
        }
    }

    /// <returns>Null when the pool is disposed.</returns>
    private NumaMemoryBlock? TryAddDedicated(nint address, nuint size, int minBufferSize)
    {
        var length = (minBufferSize + MinBlockSize - 1) & -MinBlockSize;
        var slab = new PoolSlab(address, size, (nuint)length, colours: 1);
        slab.Carve(1, size);
        var block = new NumaMemoryBlock(this, address, length, -1, slab);
        using (UninterruptedLock.Enter(_lock))
        {
            if (_isDisposed)
            {
                return null;
            }

            // What takes managed memory comes before the slab is listed.
            _dedicated.EnsureCapacity(_dedicated.Count + 1);
            slab.Track(block);
            _dedicated.Add(slab);
            return block;
        }
    }

    private bool TryChargeOrReclaim(nuint size)
    {
        if (TryCharge(size))
        {
            return true;
        }

        TrimUnchecked(keepBytes: 0);
        if (TryCharge(size))
        {
            return true;
        }

        // What a renewal has out of circulation is free after it.
        lock (_moving)
        {
            TrimUnchecked(keepBytes: 0);
            return TryCharge(size);
        }
    }

    private bool TryCharge(nuint size)
    {
        lock (_lock)
        {
            ThrowIfDisposed();
            if (_memory.AvailableBytes < (long)size)
            {
                return false;
            }

            _memory.Charge(size);
            return true;
        }
    }

    // Without the lock, and without that of releasing: a return must not wait while others unmap gigabytes. A rent at the limit
    // waits for it.
    private void ReturnDedicated(NumaMemoryBlock block)
    {
        var slab = block.Slab;
        if (!TryRetireDedicated(block))
        {
            return;
        }

        try
        {
            _memory.Release(slab.Address, slab.Size, slab.CommittedBytes);
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                _dedicated.Remove(slab);
            }

            Volatile.Write(ref slab.IsLeaving, false);
        }
    }

    /// <summary>A block with a mapping of its own is back.</summary>
    /// <returns>Whether the caller is to release the mapping: only one may.</returns>
    private bool TryRetireDedicated(NumaMemoryBlock block)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            // Until the lock is held: a block that is being returned must not look abandoned, and be released for that, too.
            GC.KeepAlive(block);
            var slab = block.Slab;
            if (slab.IsRetired || !_dedicated.Contains(slab))
            {
                return false;
            }

            slab.UntrackAll();
            slab.IsRetired = true;
            slab.IsLeaving = true;
            return true;
        }
    }

    /// <summary>Waits until mappings that other threads are giving back no longer count towards the limit.</summary>
    private void WaitForReturns()
    {
        PoolSlab[] leaving;
        lock (_lock)
        {
            leaving = [.. _dedicated.Where(static slab => slab.IsRetired)];
        }

        foreach (var slab in leaving)
        {
            Interruption.WaitWhile(ref slab.IsLeaving);
        }
    }

    private void ReturnSlow(NumaMemoryBlock block)
    {
        if (block.IsDedicated)
        {
            ReturnDedicated(block);
            return;
        }

        if (!TryKeep(block))
        {
            ReleaseRetired();
        }
    }

    /// <returns>False once the pool is disposed of: the block may have been the last one.</returns>
    private bool TryKeep(NumaMemoryBlock block)
    {
        // Its owner has given it up: an interruption must not lose it.
        using (UninterruptedLock.Enter(_lock))
        {
            if (_isDisposed)
            {
                OnReturnedAfterDispose(block);
                return false;
            }

            var size = _classes[block.ClassIndex];
            if (IsGuarded)
            {
                size.Free.Push(block);
                return true;
            }

            ref var stack = ref StackOfThisThread(size);
            if (!stack.TryPush(block))
            {
                size.Free.TakeBottomOf(ref stack, size.Batch);
                stack.TryPush(block);
            }

            return true;
        }
    }

    private ref BlockStack StackOfThisThread(PoolSizeClass size)
    {
        var cache = PoolThreadCache.Find(_id, this);
        if (cache is null)
        {
            DrainEndedThreads();
            cache = new PoolThreadCache(this, _classes.Length);
            _caches.Add(cache);
            ThreadSlots.Keep(_id, cache);
        }

        ref var stack = ref cache.StackOf(size.Index);
        if (stack.Capacity == 0)
        {
            stack = new BlockStack(size.CacheCapacity);
        }

        return ref stack;
    }

    // Under the lock.
    private void ThrowIfDisposed()
    {
        if (_isDisposed)
        {
            throw Disposed();
        }
    }

    private ObjectDisposedException Disposed() => new(nameof(NumaMemoryPool), $"The {this} is disposed.");
}
