using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>New memory: slabs, chunk by chunk. All under the pool's lock.</content>
public sealed partial class NumaMemoryPool
{
    // What others left behind is used before the pool grows.
    private void Refill(PoolSizeClass size)
    {
        if (size.Free.Count > 0)
        {
            return;
        }

        AdoptEndedThreads();
        if (size.Free.Count > 0)
        {
            return;
        }

        var result = Grow(size);
        if (size.Free.Count > 0)
        {
            return;
        }

        Reclaim();
        if (size.Free.Count == 0)
        {
            result = Grow(size);
        }

        if (size.Free.Count == 0)
        {
            throw _memory.OutOfMemory(size.Length, result);
        }
    }

    private NumaResult Grow(PoolSizeClass size)
    {
        var slab = size.Current;
        if (slab is null || slab.Remaining == 0)
        {
            var reserved = _memory.RoundToPages(size.SlabSize);
            if (_memory.AvailableBytes < (long)_memory.RoundToPages(size.Stride))
            {
                return NumaResult.Success;
            }

            var result = _memory.Reserve(reserved, _memory.PageSize, out var address);
            if (!result.Succeeded)
            {
                return result;
            }

            slab = new PoolSlab(address, reserved, size.Stride);
            size.Slabs.Add(slab);
            size.Current = slab;
        }

        return CommitChunk(size, slab);
    }

    private NumaResult CommitChunk(PoolSizeClass size, PoolSlab slab)
    {
        var (count, unit) = (Math.Min(size.ChunkBlocks, slab.Remaining), _memory.CommitUnit);
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
            return NumaResult.Success;
        }

        var result = CarveCommitted(slab, count, slab.BytesFor(count, unit), out var address);
        if (!result.Succeeded)
        {
            return result;
        }

        var blocks = new NumaMemoryBlock[count];
        for (var i = count - 1; i >= 0; i--)
        {
            // The lowest address is on top of the stack.
            blocks[i] = new NumaMemoryBlock(this, address, size.Length, size.Index, slab);
            address += (nint)size.Stride;
        }

        size.Created += count;
        size.Free.PushAll(blocks);

        // After they are counted: a block that gets no handle, for want of memory, is a block all the same.
        slab.Track(blocks);
        return NumaResult.Success;
    }

    // Taken before it is committed, and given back where a provider fails or throws.
    private NumaResult CarveCommitted(PoolSlab slab, int count, nuint bytes, out nint address)
    {
        var start = slab.NextUncommitted;
        address = slab.Carve(count, bytes);
        if (bytes == 0)
        {
            return NumaResult.Success;
        }

        var isCommitted = false;
        try
        {
            var result = _memory.Commit(start, bytes);
            isCommitted = result.Succeeded;
            return result;
        }
        finally
        {
            if (!isCommitted)
            {
                slab.Uncarve(address, count, bytes);
            }
        }
    }
}
