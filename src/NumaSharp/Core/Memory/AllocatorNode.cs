namespace NumaSharp.Core.Memory;

/// <summary>
/// One node's part of the allocator: its contiguous range, bound and committed chunk by chunk, and its large blocks. Locks
/// are taken in the order heap, node.
/// </summary>
internal sealed class AllocatorNode
{
    private static readonly NumaResult s_rangeIsFull = new(NumaFailure.OutOfMemory, 0, "the node's address range is full");
    private static readonly NumaResult s_tooLarge = new(NumaFailure.OutOfMemory, 0, "that no address space is as large");

    private readonly Lock _lock = new();
    private readonly NodeMemory _memory;
    private readonly AllocatorHeap[] _heaps;
    private readonly nint _start;
    private readonly int _maxChunks;
    private readonly List<AllocatorChunk> _withSmallRoom = [];
    private readonly Stack<AllocatorChunk> _free = new();
    private AllocatorChunk[] _chunks = [];
    private int _chunkCount;
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

    public AllocatorHeap HeapOf(int sizeClass) => _heaps[sizeClass];

    /// <summary>The run that an address of the range is in, or <see langword="null"/>.</summary>
    public AllocatorRun? FindRun(nint address)
    {
        // The array is read before its length matters: it only ever grows.
        var chunks = Volatile.Read(ref _chunks);
        var index = (address - _start) / AllocatorChunk.Size;
        return index < chunks.Length ? chunks[index]?.RunAt(address) : null;
    }

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

    public AllocatorRun? TakeRun(AllocatorHeap heap, out NumaResult failure)
    {
        lock (_lock)
        {
            if (heap.UsesLargeRuns)
            {
                return TakeChunk(out failure)?.TakeLarge(heap);
            }

            failure = NumaResult.Success;
            if (_withSmallRoom.Count == 0)
            {
                if (TakeChunk(out failure) is not { } fresh)
                {
                    return null;
                }

                List(fresh);
            }

            var chunk = _withSmallRoom[^1];
            var run = chunk.TakeSmall(heap);
            if (!chunk.HasSmallRoom)
            {
                Unlist(chunk);
            }

            return run;
        }
    }

    public void PutRun(AllocatorRun run)
    {
        lock (_lock)
        {
            var chunk = run.Chunk;
            var wasListed = chunk.HasSmallRoom;
            chunk.Put(run);
            if (chunk.IsFree)
            {
                if (wasListed)
                {
                    Unlist(chunk);
                }

                _free.Push(chunk);
            }
            else if (!wasListed)
            {
                List(chunk);
            }
        }
    }

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

    private AllocatorChunk? TakeChunk(out NumaResult failure)
    {
        failure = NumaResult.Success;
        if (!_free.TryPop(out var chunk))
        {
            if (_chunkCount == _maxChunks)
            {
                failure = s_rangeIsFull;
                return null;
            }

            if (_memory.AvailableBytes < AllocatorChunk.Size)
            {
                return null;
            }

            chunk = new AllocatorChunk(_start + ((nint)_chunkCount * AllocatorChunk.Size));
            _memory.Bind(chunk.Start, AllocatorChunk.Size);
            Add(chunk);
        }

        if (chunk.IsCommitted)
        {
            return chunk;
        }

        if (_memory.AvailableBytes >= AllocatorChunk.Size)
        {
            failure = _memory.Commit(chunk.Start, AllocatorChunk.Size);
            chunk.IsCommitted = failure.Succeeded;
        }

        if (!chunk.IsCommitted)
        {
            _free.Push(chunk);
            return null;
        }

        return chunk;
    }

    private void List(AllocatorChunk chunk)
    {
        chunk.ListIndex = _withSmallRoom.Count;
        _withSmallRoom.Add(chunk);
    }

    private void Unlist(AllocatorChunk chunk)
    {
        var last = _withSmallRoom[^1];
        last.ListIndex = chunk.ListIndex;
        _withSmallRoom[chunk.ListIndex] = last;
        _withSmallRoom.RemoveAt(_withSmallRoom.Count - 1);
    }

    private void Add(AllocatorChunk chunk)
    {
        var chunks = _chunks;
        if (_chunkCount == chunks.Length)
        {
            Array.Resize(ref chunks, Math.Max(16, chunks.Length * 2));
        }

        chunks[_chunkCount++] = chunk;
        Volatile.Write(ref _chunks, chunks);
    }
}
