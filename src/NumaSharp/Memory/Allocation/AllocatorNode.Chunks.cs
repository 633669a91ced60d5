using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core.Memory.Allocation;

/// <content>The node's range: chunks and the runs in them.</content>
internal sealed partial class AllocatorNode
{
    private const int MostTaken = 32;

    private static readonly NumaResult s_rangeIsFull = new(NumaFailure.OutOfMemory, 0, "the node's address range is full");

    // Held by the thread that gets memory for the node, or binds it to other nodes. Taken before the node's lock.
    private readonly Lock _growing = new();
    private readonly nint _start;
    private readonly int _maxChunks;
    private readonly int _chunkBytes;

    // More than one with huge pages, of which no part can be committed or given back.
    private readonly int _chunksPerPage;
    private readonly int _chunksPerCommit;
    private readonly List<AllocatorChunk> _withSmallRoom = [];

    // Kept apart, so that chunks with memory are used first, wherever a trim has stopped. The last one freed is used next.
    private readonly List<AllocatorChunk> _free = [];
    private readonly Stack<AllocatorChunk> _uncommitted = new();

    // About to be given back, by the thread that holds the allocator's lock for reclaiming.
    private readonly Queue<AllocatorChunk> _taken = new();
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

    /// <summary>A new run for a size; <see langword="null"/> at the limit, when the range is full, or for the failure.</summary>
    public AllocatorRun? TakeRun(SizeCentral central, out NumaResult failure)
    {
        failure = NumaResult.Success;
        if (TryTakeRun(central) is { } run)
        {
            return run;
        }

        // One thread at a time gets memory; others that find nothing free wait for it, and share what it brings.
        lock (_growing)
        {
            while (true)
            {
                run = TryTakeRun(central);
                if (run is not null || !TryGrow(out failure))
                {
                    return run;
                }
            }
        }
    }

    public void PutRun(AllocatorRun run)
    {
        // In the middle of a trim, which has all magazines of the size in its hands.
        using (UninterruptedLock.Enter(_lock))
        {
            Map(run, 0);
            var wasListed = run.Chunk.HasSmallRoom;
            run.Chunk.Put(run);
            Relist(run.Chunk, wasListed);
        }
    }

    private AllocatorRun? TryTakeRun(SizeCentral central)
    {
        lock (_lock)
        {
            var run = central.BlockSize > AllocatorChunk.LargestInSmallRun
                ? TakeFree()?.TakeLarge(central)
                : TakeSmallRun(central);
            if (run is not null)
            {
                Map(run, ThreadHeap.BinOf(Index, central.SizeClass));
            }

            return run;
        }
    }

    private AllocatorRun? TakeSmallRun(SizeCentral central)
    {
        if (_withSmallRoom.Count == 0)
        {
            if (TakeFree() is not { } fresh)
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

    private AllocatorChunk? TakeFree()
    {
        if (_free.Count == 0)
        {
            return null;
        }

        var free = _free[^1];
        _free.RemoveAt(_free.Count - 1);
        return free;
    }

    private unsafe void Map(AllocatorRun run, int bin)
    {
        var first = (run.Start - _start) >> AllocatorChunk.SmallRunShift;
        var count = run.IsLarge ? AllocatorChunk.Size / AllocatorChunk.SmallRunSize : 1;
        new Span<ushort>(_map + first, count).Fill((ushort)bin);
    }

    /// <summary>Gets memory for a chunk, or several. The system is asked without the node's lock.</summary>
    /// <returns>Whether there are more free ones. If not, the limit is reached, or there is a failure.</returns>
    private bool TryGrow(out NumaResult failure)
    {
        if (ChargeNext(out failure) is not { } chunks)
        {
            return false;
        }

        var (isBound, isCommitted) = (chunks[0].IsBound, false);
        try
        {
            if (!isBound)
            {
                _memory.Bind(chunks[0].Start, (nuint)chunks.Length * AllocatorChunk.Size);
                isBound = true;
            }

            failure = _memory.CommitCharged(chunks[0].Start, (nuint)_chunkBytes * (nuint)chunks.Length);
            isCommitted = failure.Succeeded;
            return isCommitted;
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                EndGrowth(chunks, isBound, isCommitted);
            }
        }
    }

    // The chunks are charged from now on.
    private AllocatorChunk[]? ChargeNext(out NumaResult failure)
    {
        lock (_lock)
        {
            failure = NumaResult.Success;
            if (_memory.AvailableBytes < (long)_chunkBytes * _chunksPerPage)
            {
                return null;
            }

            AllocatorChunk[] chunks;
            if (_uncommitted.TryPop(out var chunk))
            {
                chunks = [chunk];
            }
            else if (_chunkCount == _maxChunks)
            {
                failure = s_rangeIsFull;
                return null;
            }
            else
            {
                chunks = CreateNext();
            }

            _memory.Charge((nuint)_chunkBytes * (nuint)chunks.Length);
            return chunks;
        }
    }

    // Up to the end of a unit that is committed at once, and no more than the limit has room for.
    private AllocatorChunk[] CreateNext()
    {
        var count = _chunksPerCommit - (_chunkCount % _chunksPerCommit);
        if (count > Math.Min(_maxChunks - _chunkCount, _memory.AvailableBytes / _chunkBytes))
        {
            count = _chunksPerPage;
        }

        var start = _start + ((nint)_chunkCount * AllocatorChunk.Size);
        var chunks = new AllocatorChunk[count];
        for (var i = 0; i < count; i++)
        {
            chunks[i] = new AllocatorChunk(start + ((nint)i * AllocatorChunk.Size), _chunkBytes);
        }

        return chunks;
    }

    private void EndGrowth(AllocatorChunk[] chunks, bool isBound, bool isCommitted)
    {
        // Chunks of a page that could not be committed are made again, together.
        isBound &= isCommitted || _chunksPerPage == 1;
        foreach (var chunk in chunks)
        {
            if (isBound && !chunk.IsBound)
            {
                chunk.IsBound = true;
                Add(chunk);
            }

            chunk.IsCommitted = isCommitted;
        }

        if (!isCommitted)
        {
            _memory.Uncharge((nuint)_chunkBytes * (nuint)chunks.Length);
            foreach (var chunk in isBound ? chunks : [])
            {
                _uncommitted.Push(chunk);
            }

            return;
        }

        // The first is used first.
        for (var i = chunks.Length - 1; i >= 0; i--)
        {
            _free.Add(chunks[i]);
        }

        NoteGrowth();
    }

    /// <summary>
    /// Gives pages of free chunks back to the system, the longest free first, without the node's lock. They are no longer
    /// charged, and committed again when they are needed.
    /// </summary>
    /// <param name="floorBytes">How many committed bytes stay.</param>
    /// <param name="isOldOnly">Whether only those with old pages, which count as new afterwards.</param>
    /// <returns>How many bytes.</returns>
    private long DiscardFree(long floorBytes, bool isOldOnly)
    {
        // All would be refused, and meanwhile nothing could use them.
        if (_chunksPerPage > 1 && !isOldOnly)
        {
            return 0;
        }

        long discarded = 0;
        var isRefused = false;
        try
        {
            // If the system keeps one, it would keep the others, too. Old pages are tried one by one.
            while (!isRefused && TryTakeFree(floorBytes, isOldOnly, out var chunk))
            {
                var isDiscarded = false;
                try
                {
                    isDiscarded = TryDiscard(chunk);
                }
                finally
                {
                    PutBack(chunk, isDiscarded);
                }

                discarded += isDiscarded ? _chunkBytes : 0;
                isRefused = !isDiscarded && !isOldOnly;
            }
        }
        finally
        {
            PutBackUntried(isOldOnly);
        }

        return discarded;
    }

    private bool TryDiscard(AllocatorChunk chunk) =>
        _chunksPerPage == 1 && _memory.Discard(chunk.Start, (nuint)_chunkBytes);

    private bool TryTakeFree(long floorBytes, bool isOldOnly, [NotNullWhen(true)] out AllocatorChunk? chunk)
    {
        if (_taken.Count == 0)
        {
            TakeLongestFree(floorBytes, isOldOnly);
        }

        return _taken.TryDequeue(out chunk);
    }

    // Some at a time: the rest of the list moves, and what is taken cannot be used meanwhile.
    private void TakeLongestFree(long floorBytes, bool isOldOnly)
    {
        lock (_lock)
        {
            var most = Math.Min((_memory.CommittedBytes - floorBytes) / _chunkBytes, MostTaken);
            var (next, kept) = (0, 0);
            for (; next < _free.Count && _taken.Count < most; next++)
            {
                var chunk = _free[next];
                if (isOldOnly && !chunk.HasOldPages)
                {
                    _free[kept++] = chunk;
                    continue;
                }

                if (isOldOnly)
                {
                    chunk.ForgetOldPages();
                }

                _taken.Enqueue(chunk);
            }

            _free.RemoveRange(kept, next - kept);
        }
    }

    // The system has refused the one before them, or its provider has thrown.
    private void PutBackUntried(bool areOld)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            while (_taken.TryDequeue(out var chunk))
            {
                if (areOld)
                {
                    chunk.MarkPagesOld();
                }

                _free.Add(chunk);
            }
        }
    }

    private void PutBack(AllocatorChunk chunk, bool isDiscarded)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            if (isDiscarded)
            {
                chunk.IsCommitted = false;
                _uncommitted.Push(chunk);
            }
            else
            {
                _free.Add(chunk);
            }
        }
    }

    // The chunk has more room now.
    private void Relist(AllocatorChunk chunk, bool wasListed)
    {
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
