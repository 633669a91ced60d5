using System.Diagnostics;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>
/// New memory: slabs, chunk by chunk. One thread at a time gets memory for a size; others that find nothing free wait for it,
/// and share what it brings. The system is asked without the pool's lock, so a rent that finds a free block does not wait.
/// Order of locks: that of moving, <see cref="PoolSizeClass.Growing"/>, that of releasing, the pool's.
/// </content>
public sealed partial class NumaMemoryPool
{
    // Blocks that have a place in a slab, but no memory yet. Under the lock.
    private int _growingBlocks;

    private NumaMemoryBlock RentNew(PoolSizeClass size)
    {
        if (TryRentNew(size, out var block, out _))
        {
            return block;
        }

        // What a renewal has out of circulation is free after it.
        lock (_moving)
        {
            return TryRentNew(size, out block, out var result) ? block : throw _memory.OutOfMemory(size.Length, result);
        }
    }

    private bool TryRentNew(PoolSizeClass size, out NumaMemoryBlock block, out NumaResult result)
    {
        lock (size.Growing)
        {
            var isReclaimed = false;
            while (true)
            {
                result = NumaResult.Success;
                if (TryRentFree(size, out block))
                {
                    return true;
                }

                if (TryGrow(size, isTouched: false, out result))
                {
                    continue;
                }

                if (isReclaimed)
                {
                    return false;
                }

                if (TryReclaim(size, out block))
                {
                    return true;
                }

                isReclaimed = true;
            }
        }
    }

    /// <summary>Gets memory for some blocks.</summary>
    /// <returns>Whether there are more blocks; if not, the limit is reached, or the system refuses.</returns>
    private bool TryGrow(PoolSizeClass size, bool isTouched, out NumaResult result)
    {
        result = EnsureSlab(size);
        if (!result.Succeeded || !TryCarve(size, out var growth))
        {
            return false;
        }

        NumaMemoryBlock[]? blocks = null;
        try
        {
            var fresh = CreateBlocks(size, growth);
            result = growth.Bytes == 0 ? NumaResult.Success : _memory.CommitCharged(growth.Start, growth.Bytes);
            if (result.Succeeded)
            {
                if (isTouched)
                {
                    Touch(size, growth);
                }

                blocks = fresh;
            }

            return result.Succeeded;
        }
        finally
        {
            EndGrowth(size, growth, blocks);
        }
    }

    private NumaResult EnsureSlab(PoolSizeClass size)
    {
        Debug.Assert(size.Growing.IsHeldByCurrentThread, "One thread at a time.");
        lock (_lock)
        {
            ThrowIfDisposed();
            if (size.Current is { Remaining: > 0 } || _memory.AvailableBytes < (long)_memory.RoundToPages(size.Stride))
            {
                return NumaResult.Success;
            }
        }

        var reserved = _memory.RoundToPages(size.SlabSize);
        var result = _memory.Reserve(reserved, _memory.PageSize, out var address);
        if (!result.Succeeded)
        {
            return result;
        }

        var isAdded = false;
        try
        {
            isAdded = TryAddSlab(size, address, reserved);
            return isAdded ? NumaResult.Success : throw Disposed();
        }
        finally
        {
            if (!isAdded)
            {
                _memory.Release(address, reserved, 0);
            }
        }
    }

    /// <returns>False when the pool is disposed.</returns>
    private bool TryAddSlab(PoolSizeClass size, nint address, nuint reserved)
    {
        var slab = new PoolSlab(address, reserved, size.Stride, size.Colours);
        using (UninterruptedLock.Enter(_lock))
        {
            if (_isDisposed)
            {
                return false;
            }

            size.Slabs.Add(slab);
            size.Current = slab;
            return true;
        }
    }

    // As much as the limit has room for, charged from now on.
    private bool TryCarve(PoolSizeClass size, out PoolGrowth growth)
    {
        lock (_lock)
        {
            ThrowIfDisposed();
            growth = default;
            if (size.Current is not { Remaining: > 0 } slab)
            {
                return false;
            }

            var most = _memory.IsTouchedFirst ? size.TouchedBlocks(_memory.AvailableBytes) : size.ChunkBlocks;
            var (count, unit) = (Math.Min(most, slab.Remaining), _memory.CommitUnit);
            if ((long)slab.BytesFor(count, unit) > _memory.AvailableBytes)
            {
                unit = _memory.PageSize;
            }

            while (count > 0 && (long)slab.BytesFor(count, unit) > _memory.AvailableBytes)
            {
                count /= 2;
            }

            if (count == 0)
            {
                RetireIfEmpty(size, slab);
                return false;
            }

            var bytes = slab.BytesFor(count, unit);
            growth = new PoolGrowth(slab, slab.NextUncommitted, bytes, slab.Carve(count, bytes), count);

            // No longer wholly free: it must not be given back while it grows.
            size.Free.List(slab);
            _memory.Charge(bytes);
            _growingBlocks += count;
            return true;
        }
    }

    // The first is that of the highest address, so that the lowest is on top of the stack.
    private NumaMemoryBlock[] CreateBlocks(PoolSizeClass size, PoolGrowth growth)
    {
        var blocks = new NumaMemoryBlock[growth.Count];
        var index = growth.Slab.IndexOf(growth.First) + growth.Count;
        for (var i = 0; i < blocks.Length; i++)
        {
            blocks[i] = new NumaMemoryBlock(this, growth.Slab.BlockAt(--index), size.Length, size.Index, growth.Slab);
        }

        return blocks;
    }

    // Beyond the last block is what the next ones begin with; before the first is what a block in use ends with.
    private void Touch(PoolSizeClass size, PoolGrowth growth)
    {
        var last = growth.Slab.BlockAt(growth.Slab.IndexOf(growth.First) + growth.Count - 1);
        var length = (nuint)(last - growth.First) + (nuint)size.Length;
        FirstTouch.TouchHere(growth.First, length, _memory.PageSize);
        FirstTouch.TouchHere(growth.First + (nint)length - 1, size: 1, _memory.PageSize);
    }

    /// <param name="size">Which size has grown.</param>
    /// <param name="growth">By what.</param>
    /// <param name="blocks">The blocks; <see langword="null"/> where there is no memory for them.</param>
    private void EndGrowth(PoolSizeClass size, PoolGrowth growth, NumaMemoryBlock[]? blocks)
    {
        bool mayHaveRetired;
        using (UninterruptedLock.Enter(_lock))
        {
            _growingBlocks -= growth.Count;
            if (blocks is null)
            {
                growth.Slab.Uncarve(growth.Count, growth.Bytes);
                size.Free.List(growth.Slab);
                _memory.Uncharge(growth.Bytes);
            }

            mayHaveRetired = _isDisposed || blocks is null;
            if (_isDisposed)
            {
                _outstanding -= growth.Count;
                CondemnIfAllReturned();
            }
            else if (blocks is null)
            {
                RetireIfEmpty(size, growth.Slab);
            }
            else
            {
                Add(size, growth.Slab, blocks);
            }
        }

        if (mayHaveRetired)
        {
            ReleaseRetired();
        }
    }

    private static void Add(PoolSizeClass size, PoolSlab slab, NumaMemoryBlock[] blocks)
    {
        size.Created += blocks.Length;
        slab.IsIdle = false;
        foreach (var block in blocks)
        {
            size.Free.Push(block);
        }

        // After they are counted: a block that gets no handle, for want of memory, is still a block.
        slab.Track(blocks);
    }

    private void RetireIfEmpty(PoolSizeClass size, PoolSlab slab)
    {
        if (slab.Carved == 0)
        {
            Condemn(size, slab);
            size.RemoveRetired();
        }
    }
}
