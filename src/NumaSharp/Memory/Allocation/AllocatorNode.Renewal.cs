namespace NumaSharp.Core.Memory.Allocation;

/// <content>
/// The source of pages, when it changes. Binding moves nothing, so the pages of free memory are given up: the next touch takes
/// new ones, from the new source. One thread at a time; the system is called without the node's lock, and the memory concerned is
/// out of circulation meanwhile (docs/decisions/0018-allocator.md).
/// </content>
internal sealed partial class AllocatorNode
{
    private volatile bool _hasOldPages;
    private bool _isMoving;

    /// <summary>Whether memory in use has pages of the former source.</summary>
    public bool HasOldPages => _hasOldPages;

    /// <summary>
    /// Takes new pages from another node; existing pages stay where they are. If a provider throws, the next call continues. One
    /// thread at a time.
    /// </summary>
    /// <returns>Whether the source has changed; <see cref="ReleaseFreeRuns"/> may follow.</returns>
    public bool MoveTo(MemorySource source, CpuSet? firstTouchCpus)
    {
        // A chunk that is being added has been bound to the former source. No other is added meanwhile, and the range is not
        // released: see TakeAllChunks.
        lock (_growing)
        {
            // Without the node's lock: another thread may be binding a large block at the moment.
            _isMoving |= _memory.MoveTo(source, firstTouchCpus);
            if (!_isMoving || !TryBeginMove(out var bytes))
            {
                return false;
            }

            // Without the node's lock, too. What other threads touch in between counts as old, wherever it is from.
            if (_memory.Rebind(_start, bytes))
            {
                MarkPagesOld();
            }
        }

        Large.UnmapCondemned();
        _isMoving = false;
        return true;
    }

    private bool TryBeginMove(out nuint bytes)
    {
        // An interruption must not leave the source changed and the range bound to the former one.
        using (UninterruptedLock.Enter(_lock))
        {
            bytes = (nuint)_chunkCount * AllocatorChunk.Size;
            if (!_closed)
            {
                // Cached large blocks have pages of the former source.
                Large.Move();
            }

            return !_closed;
        }
    }

    private void MarkPagesOld()
    {
        using (UninterruptedLock.Enter(_lock))
        {
            foreach (var chunk in _chunks.AsSpan(0, _chunkCount))
            {
                chunk.MarkPagesOld();
                _hasOldPages |= chunk.HasOldPages;
            }
        }
    }

    private long ReplaceOldPages()
    {
        if (!_hasOldPages)
        {
            return 0;
        }

        var released = DiscardFree(floorBytes: 0, isOldOnly: true);
        for (var index = 0; TryTakeOldRuns(index, out var chunk, out var slots); index++)
        {
            if (slots != 0)
            {
                ReplacePages(chunk, slots);
            }
        }

        lock (_lock)
        {
            _hasOldPages = Array.Exists(_chunks, static chunk => chunk is { HasOldPages: true });
        }

        return released;
    }

    // They stay committed, so that none becomes a hole in its chunk when the system has no memory.
    private void ReplacePages(AllocatorChunk chunk, uint slots)
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
                Relist(chunk, wasListed);
            }
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
