namespace NumaSharp.Core.Memory;

/// <summary>
/// One node's part of the allocator: its contiguous range, bound and committed chunk by chunk, and its large blocks. Locks
/// are taken in the order heap, node.
/// </summary>
internal sealed partial class AllocatorNode
{
    private static readonly NumaResult s_tooLarge = new(NumaFailure.OutOfMemory, 0, "that no address space is as large");

    private readonly Lock _lock = new();
    private readonly NodeMemory _memory;
    private readonly AllocatorHeap[] _heaps;
    private long _remoteFrees;
    private long _largeBytes;
    private long _largeBlocks;
    private bool _closed;

    public AllocatorNode(NodeMemorySettings settings, nint start, nuint size)
    {
        _memory = new NodeMemory(settings);
        _start = start;
        _maxChunks = (int)(size / AllocatorChunk.Size);
        _heaps = new AllocatorHeap[SizeClasses.Count];
        for (var i = 0; i < _heaps.Length; i++)
        {
            _heaps[i] = new AllocatorHeap(this, i);
        }
    }

    public int NodeId => _memory.NodeId;

    public nint Allocate(int sizeClass)
    {
        var heap = _heaps[sizeClass];
        if (heap.TryAllocate(out var address, out _))
        {
            return address;
        }

        // Empty runs that other sizes keep are used before this fails.
        ReleaseEmptyRuns();
        return heap.TryAllocate(out address, out var failure)
            ? address
            : throw _memory.OutOfMemory(heap.BlockSize, failure);
    }

    public LargeBlock AllocateLarge(nuint size, nuint alignment)
    {
        var length = size <= nuint.MaxValue - (2 * _memory.PageSize) ? _memory.RoundToPages(Math.Max(size, 1)) : nuint.MaxValue;
        if (TryAllocateLarge(length, alignment, out var address, out _))
        {
            return new LargeBlock(this, address, length);
        }

        Trim();
        return TryAllocateLarge(length, alignment, out address, out var failure)
            ? new LargeBlock(this, address, length)
            : throw _memory.OutOfMemory((long)Math.Min(size, long.MaxValue), failure);
    }

    public void FreeLarge(LargeBlock block)
    {
        _memory.Release(block.Address, block.Length, block.Length);
        Interlocked.Add(ref _largeBytes, -(long)block.Length);
        Interlocked.Decrement(ref _largeBlocks);
    }

    public void CountRemoteFree() => Interlocked.Increment(ref _remoteFrees);

    /// <summary>Gives the pages of free chunks back to the system.</summary>
    public long Trim()
    {
        ReleaseEmptyRuns();
        lock (_lock)
        {
            long trimmed = 0;
            foreach (var chunk in _free)
            {
                if (chunk.IsCommitted && _memory.Discard(chunk.Start, AllocatorChunk.Size))
                {
                    chunk.IsCommitted = false;
                    trimmed += AllocatorChunk.Size;
                }
            }

            return trimmed;
        }
    }

    /// <summary>Refuses further allocations, and tells how many blocks are in use.</summary>
    public long Close()
    {
        long live = 0;
        foreach (var heap in _heaps)
        {
            live += heap.Close();
        }

        lock (_lock)
        {
            _closed = true;
            return live + Volatile.Read(ref _largeBlocks);
        }
    }

    /// <summary>The range is being released as a whole: nothing of it is committed any more.</summary>
    public void OnRangeReleased(NumaResult result)
    {
        lock (_lock)
        {
            Volatile.Write(ref _chunks, []);
            _free.Clear();
            _withSmallRoom.Clear();
            _memory.OnAllReleased(result);
        }
    }

    public NumaAllocatorStatistics GetStatistics()
    {
        var bytes = Volatile.Read(ref _largeBytes);
        var blocks = Volatile.Read(ref _largeBlocks);
        foreach (var heap in _heaps)
        {
            var live = heap.Live;
            blocks += live;
            bytes += live * heap.BlockSize;
        }

        return new NumaAllocatorStatistics(
            NodeId, bytes, blocks, _memory.CommittedBytes, _memory.LimitBytes, Volatile.Read(ref _remoteFrees));
    }

    private bool TryAllocateLarge(nuint length, nuint alignment, out nint address, out NumaResult failure)
    {
        lock (_lock)
        {
            address = 0;
            failure = NumaResult.Success;
            ObjectDisposedException.ThrowIf(_closed, typeof(NumaAllocator));
            if (length > long.MaxValue)
            {
                failure = s_tooLarge;
                return false;
            }

            if (_memory.AvailableBytes < (long)length)
            {
                return false;
            }

            failure = _memory.ReserveAndCommit(length, Math.Max(alignment, _memory.PageSize), out address);
            if (failure.Succeeded)
            {
                Interlocked.Add(ref _largeBytes, (long)length);
                Interlocked.Increment(ref _largeBlocks);
            }

            return failure.Succeeded;
        }
    }

    private void ReleaseEmptyRuns()
    {
        foreach (var heap in _heaps)
        {
            heap.ReleaseEmptyRuns();
        }
    }
}
