namespace NumaSharp.Core.Memory.Allocation;

/// <content>The node's range: chunks and the runs in them.</content>
internal sealed partial class AllocatorNode
{
    private static readonly NumaResult s_rangeIsFull = new(NumaFailure.OutOfMemory, 0, "the node's address range is full");

    private readonly nint _start;
    private readonly int _maxChunks;
    private readonly int _chunkBytes;
    private readonly int _chunksPerCommit;
    private readonly List<AllocatorChunk> _withSmallRoom = [];

    // Apart, so that what has memory is used first, wherever a trim has stopped. The last one freed is used next.
    private readonly List<AllocatorChunk> _free = [];
    private readonly Stack<AllocatorChunk> _uncommitted = new();
    private AllocatorChunk[] _chunks = [];
    private int _chunkCount;

    /// <summary>The run that an address of the range is in, or <see langword="null"/>.</summary>
    public AllocatorRun? FindRun(nint address)
    {
        // The array is read before its length matters: it only ever grows.
        var chunks = Volatile.Read(ref _chunks);
        var index = (address - _start) / AllocatorChunk.Size;
        return index < chunks.Length ? chunks[index]?.RunAt(address) : null;
    }

    /// <summary>A new run for a size, or <see langword="null"/>: at the limit, the range is full, or for the failure.</summary>
    public AllocatorRun? TakeRun(SizeCentral central, out NumaResult failure)
    {
        lock (_lock)
        {
            var run = central.BlockSize > AllocatorChunk.LargestInSmallRun
                ? TakeChunk(out failure)?.TakeLarge(central)
                : TakeSmallRun(central, out failure);
            if (run is not null)
            {
                Map(run, ThreadHeap.BinOf(Index, central.SizeClass));
            }

            return run;
        }
    }

    public void PutRun(AllocatorRun run)
    {
        lock (_lock)
        {
            Map(run, 0);
            var chunk = run.Chunk;
            var wasListed = chunk.HasSmallRoom;
            chunk.Put(run);
            if (chunk.IsFree)
            {
                if (wasListed)
                {
                    Unlist(chunk);
                }

                _free.Add(chunk);
            }
            else if (!wasListed)
            {
                List(chunk);
            }
        }
    }

    /// <summary>Takes new pages from another node; what has pages stays where it is.</summary>
    public void MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        lock (_lock)
        {
            if (!_memory.MoveTo(source, firstTouchCpus) || _closed)
            {
                return;
            }

            // What waits has its pages where they were.
            Large.CondemnCached(long.MaxValue);
            DiscardFree(0);
            _memory.Rebind(_start, (nuint)_chunkCount * AllocatorChunk.Size);
        }

        Large.UnmapCondemned();
    }

    private AllocatorRun? TakeSmallRun(SizeCentral central, out NumaResult failure)
    {
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
        var run = chunk.TakeSmall(central);
        if (!chunk.HasSmallRoom)
        {
            Unlist(chunk);
        }

        return run;
    }

    private unsafe void Map(AllocatorRun run, int bin)
    {
        var first = (run.Start - _start) >> AllocatorChunk.SmallRunShift;
        var count = run.IsLarge ? AllocatorChunk.Size / AllocatorChunk.SmallRunSize : 1;
        new Span<ushort>(_map + first, count).Fill((ushort)bin);
    }

    private AllocatorChunk? TakeChunk(out NumaResult failure)
    {
        failure = NumaResult.Success;
        if (_free.Count > 0)
        {
            var free = _free[^1];
            _free.RemoveAt(_free.Count - 1);
            return free;
        }

        if (_memory.AvailableBytes < _chunkBytes)
        {
            return null;
        }

        if (_uncommitted.TryPop(out var chunk))
        {
            return Commit([chunk], out failure);
        }

        if (_chunkCount == _maxChunks)
        {
            failure = s_rangeIsFull;
            return null;
        }

        return Commit(BindNext(), out failure);
    }

    // Up to the end of a unit that is committed at once, and no more than the limit has room for.
    private AllocatorChunk[] BindNext()
    {
        var count = _chunksPerCommit - (_chunkCount % _chunksPerCommit);
        if (count > Math.Min(_maxChunks - _chunkCount, _memory.AvailableBytes / _chunkBytes))
        {
            count = 1;
        }

        var start = _start + ((nint)_chunkCount * AllocatorChunk.Size);
        _memory.Bind(start, (nuint)count * AllocatorChunk.Size);
        var chunks = new AllocatorChunk[count];
        for (var i = 0; i < count; i++)
        {
            chunks[i] = new AllocatorChunk(start + ((nint)i * AllocatorChunk.Size), _chunkBytes);
            Add(chunks[i]);
        }

        return chunks;
    }

    /// <summary>Commits chunks that lie side by side, and takes the first; the others are free.</summary>
    private AllocatorChunk? Commit(ReadOnlySpan<AllocatorChunk> chunks, out NumaResult failure)
    {
        failure = _memory.Commit(chunks[0].Start, (nuint)_chunkBytes * (nuint)chunks.Length);
        foreach (var chunk in chunks)
        {
            chunk.IsCommitted = failure.Succeeded;
            if (!failure.Succeeded)
            {
                _uncommitted.Push(chunk);
            }
        }

        if (!failure.Succeeded)
        {
            return null;
        }

        _free.AddRange(chunks[1..]);
        NoteGrowth();
        return chunks[0];
    }

    /// <summary>Gives pages of free chunks back to the system, of those first that were freed first.</summary>
    private long DiscardFree(long floorBytes)
    {
        long discarded = 0;
        var kept = 0;
        for (var i = 0; i < _free.Count; i++)
        {
            var chunk = _free[i];
            if (_memory.CommittedBytes - _chunkBytes >= floorBytes
                && _memory.Discard(chunk.Start, (nuint)_chunkBytes))
            {
                chunk.IsCommitted = false;
                _uncommitted.Push(chunk);
                discarded += _chunkBytes;
            }
            else
            {
                _free[kept++] = chunk;
            }
        }

        _free.RemoveRange(kept, _free.Count - kept);
        return discarded;
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
