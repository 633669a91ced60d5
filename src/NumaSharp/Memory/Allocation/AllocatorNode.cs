namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// One node's part of the allocator: its contiguous range, bound and committed chunk by chunk, and its large blocks. Its lock
/// is taken last.
/// </summary>
internal sealed unsafe partial class AllocatorNode
{
    // Below this the memory that other sizes keep is not worth examining every free block.
    private const long LeastReclaim = 64L << 20;

    // The system and its providers are called without it.
    private readonly Lock _lock = new();
    private readonly NodeMemory _memory;
    private readonly SizeCentral[] _centrals;
    private readonly ushort* _map;
    private long _nextReclaim = LeastReclaim;
    private long _remoteFrees;
    private long _kept;
    private bool _closed;

    /// <param name="index">The position in the plan.</param>
    /// <param name="memory">Where pages come from.</param>
    /// <param name="range">The address space of all nodes.</param>
    /// <param name="map">The bin of each small run of this node's range.</param>
    /// <param name="store">The magazines.</param>
    /// <param name="isGuarded">Whether chunks end with a page without access, and freed large blocks are unmapped.</param>
    public AllocatorNode(
        int index, NodeMemory memory, AllocatorRange range, ushort* map, MagazineStore store, bool isGuarded)
    {
        Index = index;
        _memory = memory;
        _start = range.StartOf(index);
        _maxChunks = (int)(range.BytesPerNode / AllocatorChunk.Size);
        _map = map;
        Large = new LargeBlocks(_memory, _lock, keepsFreed: !isGuarded);
        _chunkBytes = AllocatorChunk.Size - (isGuarded ? AllocatorChunk.GuardSizeFor(_memory.PageSize) : 0);
        CarvesInRandomOrder = isGuarded;

        // A guard at the end of each chunk leaves no room for anything larger.
        _chunksPerPage = (int)nuint.Max(1, _memory.PageSize / AllocatorChunk.Size);
        _chunksPerCommit = isGuarded ? _chunksPerPage : (int)nuint.Max(1, _memory.CommitUnit / AllocatorChunk.Size);
        _centrals = new SizeCentral[SizeClasses.Count];
        for (var i = 0; i < _centrals.Length; i++)
        {
            _centrals[i] = new SizeCentral(this, store, i);
        }
    }

    public int Index { get; }

    public NumaNodeId NodeId => _memory.NodeId;

    public LargeBlocks Large { get; }

    public bool CarvesInRandomOrder { get; }

    public long CommittedBytes => _memory.CommittedBytes;

    public nuint PageSize => _memory.PageSize;

    /// <summary>
    /// Whether the node has just grown although more than half of its memory is free in other sizes: use has shifted between
    /// sizes, so their free runs go back to the node.
    /// </summary>
    public bool WantsReclaim { get; private set; }

    public SizeCentral CentralOf(int sizeClass) => _centrals[sizeClass];

    public void CountRemoteFrees(int count) => Interlocked.Add(ref _remoteFrees, count);

    public OutOfMemoryException OutOfMemory(nuint size, NumaResult failure) =>
        _memory.OutOfMemory((long)Math.Min(size, long.MaxValue), failure);

    /// <summary>Gives free runs from the sizes to the node, and gives up their old pages.</summary>
    /// <param name="everything">False keeps what has been in use since the last call.</param>
    /// <param name="magazines">An empty list, to be used meanwhile.</param>
    /// <returns>The bytes that are no longer committed, because their pages were old.</returns>
    public long ReleaseFreeRuns(bool everything, List<uint> magazines)
    {
        WantsReclaim = false;
        foreach (var central in _centrals)
        {
            var least = central.TakeLeastFree();
            if (everything || least > 0)
            {
                central.ReleaseFreeRuns(everything ? long.MaxValue : least, magazines);
            }
        }

        return ReplaceOldPages();
    }

    /// <summary>Takes all magazines that are empty.</summary>
    public void TakeEmptyMagazines(List<uint> magazines)
    {
        foreach (var central in _centrals)
        {
            central.TakeAllEmpty(magazines);
        }
    }

    /// <summary>
    /// Gives cached large blocks back to the system, because their share of the limit is needed; and waits for those that other
    /// threads are giving back.
    /// </summary>
    public long ReleaseCachedLarge()
    {
        long released;

        // At the end of a disposal, among others, which is not repeated.
        using (UninterruptedLock.Enter(_lock))
        {
            released = Large.CondemnCached(long.MaxValue);
        }

        Large.UnmapCondemned();
        return released;
    }

    /// <summary>Gives the pages of free chunks, and cached large blocks, back to the system.</summary>
    /// <param name="floorBytes">How many committed bytes stay.</param>
    /// <param name="idleOnly">Whether large blocks stay when some have been allocated since the last call.</param>
    public long Trim(long floorBytes, bool idleOnly)
    {
        long trimmed;
        lock (_lock)
        {
            trimmed = Large.WasIdle() || !idleOnly
                ? Large.CondemnCached(Math.Max(0, _memory.CommittedBytes - floorBytes))
                : 0;
        }

        Large.UnmapCondemned();
        return trimmed + DiscardFree(floorBytes, isOldOnly: false);
    }

    /// <summary>Refuses further allocations.</summary>
    public void Close()
    {
        foreach (var central in _centrals)
        {
            central.Close();
        }

        lock (_lock)
        {
            _closed = true;
            Large.Close();
        }
    }

    /// <summary>Blocks that are in use or kept by threads. Exact while no magazine comes or goes.</summary>
    public long CountTaken()
    {
        var taken = Large.Blocks;
        foreach (var central in _centrals)
        {
            taken += central.CountTaken();
        }

        return taken;
    }

    /// <summary>No block is in use any more: every page goes back to the system.</summary>
    public void Discard()
    {
        ReleaseCachedLarge();
        foreach (var chunk in TakeAllChunks())
        {
            if (chunk.IsCommitted && !TryDiscard(chunk))
            {
                _kept += _chunkBytes;
            }
        }
    }

    /// <summary>The range was released after everything was discarded, or could not be released.</summary>
    public void OnRangeReleased(NumaResult result)
    {
        // Where a system cannot discard pages, they are released with the address space.
        if (_kept > 0)
        {
            _memory.OnReleased(result, _kept);
        }
    }

    public NumaAllocatorStatistics GetStatistics(IReadOnlyList<ThreadHeap> heaps)
    {
        var (bytes, blocks) = (Large.Bytes, Large.Blocks);
        foreach (var central in _centrals)
        {
            var live = central.Carved - central.FreeBlocks;
            foreach (var heap in heaps)
            {
                live -= heap.CountOf(Index, central.SizeClass);
            }

            // Blocks that move while they are counted are counted twice or not at all.
            live = Math.Max(0, live);
            blocks += live;
            bytes += live * central.BlockSize;
        }

        return new NumaAllocatorStatistics
        {
            NodeId = NodeId,
            AllocatedBytes = bytes,
            AllocatedBlocks = blocks,
            CommittedBytes = _memory.CommittedBytes,
            LimitBytes = _memory.LimitBytes,
            RemoteFrees = Volatile.Read(ref _remoteFrees),
        };
    }

    // Lookups of blocks find none from now on. The range is released next: a move that is binding it ends first.
    private ReadOnlySpan<AllocatorChunk> TakeAllChunks()
    {
        using (UninterruptedLock.Enter(_growing))
        using (UninterruptedLock.Enter(_lock))
        {
            var chunks = _chunks.AsSpan(0, _chunkCount);
            _chunkCount = 0;
            Volatile.Write(ref _chunks, []);
            return chunks;
        }
    }

    private void NoteGrowth()
    {
        var committed = _memory.CommittedBytes;
        if (committed < _nextReclaim)
        {
            return;
        }

        _nextReclaim = Math.Max(LeastReclaim, committed + (committed / 4));
        long free = 0;
        foreach (var central in _centrals)
        {
            free += central.FreeBlocks * central.BlockSize;
        }

        WantsReclaim = free > committed / 2;
    }
}
