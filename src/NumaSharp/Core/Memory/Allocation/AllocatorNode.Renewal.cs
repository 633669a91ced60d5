namespace NumaSharp.Core.Memory.Allocation;

/// <content>
/// The source of pages, when it changes. Binding moves nothing, so the pages of free memory are given up: the next touch takes
/// new ones, from the new source. One thread at a time; the system is called without the node's lock, and the memory concerned is
/// out of circulation meanwhile (docs/decisions/0018-allocator.md).
/// </content>
internal sealed partial class AllocatorNode
{
    private volatile bool _hasOldPages;

    /// <summary>Whether memory in use has pages of the former source.</summary>
    public bool HasOldPages => _hasOldPages;

    /// <summary>Takes new pages from another node; existing pages stay where they are.</summary>
    /// <returns>Whether the source has changed; <see cref="ReleaseFreeRuns"/> may follow.</returns>
    public bool MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        // A chunk that is being added has been bound to the former source.
        lock (_growing)
        {
            lock (_lock)
            {
                if (!_memory.MoveTo(source, firstTouchCpus) || _closed)
                {
                    return false;
                }

                // Cached large blocks have pages of the former source.
                Large.Move();
                if (_memory.Rebind(_start, (nuint)_chunkCount * AllocatorChunk.Size))
                {
                    AgePages();
                }
            }
        }

        Large.UnmapCondemned();
        return true;
    }

    private void AgePages()
    {
        foreach (var chunk in _chunks.AsSpan(0, _chunkCount))
        {
            chunk.AgePages();
            _hasOldPages |= chunk.HasOldPages;
        }
    }

    private long GiveUpOldPages()
    {
        if (!_hasOldPages)
        {
            return 0;
        }

        var released = GiveUpOldChunks();
        for (var index = 0; TryTakeOldRuns(index, out var chunk, out var slots); index++)
        {
            if (slots != 0)
            {
                GiveUp(chunk, slots);
            }
        }

        lock (_lock)
        {
            _hasOldPages = Array.Exists(_chunks, static chunk => chunk is { HasOldPages: true });
        }

        return released;
    }

    // Whole free chunks: they are no longer charged, and are committed again when they are needed.
    private long GiveUpOldChunks()
    {
        long released = 0;
        var kept = new List<AllocatorChunk>();
        try
        {
            while (TakeOldChunk() is { } chunk)
            {
                released += GiveUp(chunk, kept);
            }
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                _free.AddRange(kept);
            }
        }

        return released;
    }

    private long GiveUp(AllocatorChunk chunk, List<AllocatorChunk> kept)
    {
        var isDiscarded = false;
        try
        {
            isDiscarded = _memory.Discard(chunk.Start, (nuint)_chunkBytes);
        }
        finally
        {
            if (isDiscarded)
            {
                using (UninterruptedLock.Enter(_lock))
                {
                    chunk.IsCommitted = false;
                    _uncommitted.Push(chunk);
                }
            }
            else
            {
                kept.Add(chunk);
            }
        }

        return isDiscarded ? _chunkBytes : 0;
    }

    // They stay committed, so that none becomes a hole in its chunk when the system has no memory.
    private void GiveUp(AllocatorChunk chunk, uint slots)
    {
        try
        {
            foreach (var (start, bytes) in chunk.RangesOf(slots))
            {
                if (!_memory.TryReplace(start, bytes))
                {
                    break;
                }
            }
        }
        finally
        {
            using (UninterruptedLock.Enter(_lock))
            {
                var wasListed = chunk.HasSmallRoom;
                chunk.PutBack(slots);
                ListAgain(chunk, wasListed);
            }
        }
    }

    private AllocatorChunk? TakeOldChunk()
    {
        lock (_lock)
        {
            var index = _free.FindLastIndex(static chunk => chunk.HasOldPages);
            if (index < 0)
            {
                return null;
            }

            var chunk = _free[index];
            _free.RemoveAt(index);
            chunk.ForgetOldPages();
            return chunk;
        }
    }

    /// <returns>False when there is no such chunk.</returns>
    private bool TryTakeOldRuns(int index, out AllocatorChunk chunk, out uint slots)
    {
        lock (_lock)
        {
            (chunk, slots) = (null!, 0);
            if (index >= _chunkCount)
            {
                return false;
            }

            chunk = _chunks[index];
            if (!chunk.IsFree)
            {
                slots = chunk.TakeOldFree();
                if (slots != 0 && !chunk.HasSmallRoom)
                {
                    Unlist(chunk);
                }
            }

            return true;
        }
    }
}
