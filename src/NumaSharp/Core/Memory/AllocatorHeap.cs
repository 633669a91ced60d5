namespace NumaSharp.Core.Memory;

/// <summary>The blocks of one size on one node, under a lock of their own.</summary>
internal sealed class AllocatorHeap
{
    private const int LargestInSmallRun = AllocatorChunk.SmallRunSize / 8;

    private readonly Lock _lock = new();
    private readonly AllocatorNode _node;

    // Runs with a free block; the first is allocated from.
    private AllocatorRun? _partial;
    private bool _closed;
    private long _live;

    public AllocatorHeap(AllocatorNode node, int sizeClass)
    {
        _node = node;
        BlockSize = SizeClasses.SizeOf(sizeClass);
    }

    public int BlockSize { get; }

    public bool UsesLargeRuns => BlockSize > LargestInSmallRun;

    /// <summary>How many blocks are in use.</summary>
    public long Live => Volatile.Read(ref _live);

    public bool TryAllocate(out nint address, out NumaResult failure)
    {
        lock (_lock)
        {
            address = 0;
            failure = NumaResult.Success;
            ObjectDisposedException.ThrowIf(_closed, typeof(NumaAllocator));
            if (_partial is null)
            {
                var run = _node.TakeRun(this, out failure);
                if (run is null)
                {
                    return false;
                }

                Link(run);
            }

            var source = _partial!;
            address = source.Take();
            _live++;
            if (source.Free == 0)
            {
                Unlink(source);
            }

            return true;
        }
    }

    /// <summary>Frees a block; false when no block in use starts there.</summary>
    public bool TryFree(AllocatorRun run, nint address)
    {
        lock (_lock)
        {
            if (!run.IsInUse(address))
            {
                return false;
            }

            run.Put(address);
            _live--;
            if (run.Free == 1)
            {
                Link(run);
            }

            // One empty run is kept, or a lone block that comes and goes would take and release a run each time.
            if (run.IsEmpty && (run.Previous is not null || run.Next is not null))
            {
                Release(run);
            }

            return true;
        }
    }

    public bool IsInUse(AllocatorRun run, nint address)
    {
        lock (_lock)
        {
            return run.IsInUse(address);
        }
    }

    /// <summary>Gives empty runs back to the node.</summary>
    public void ReleaseEmptyRuns()
    {
        lock (_lock)
        {
            for (var run = _partial; run is not null;)
            {
                var next = run.Next;
                if (run.IsEmpty)
                {
                    Release(run);
                }

                run = next;
            }
        }
    }

    /// <summary>Refuses further allocations, and tells how many blocks are in use.</summary>
    public long Close()
    {
        lock (_lock)
        {
            _closed = true;
            return _live;
        }
    }

    private void Release(AllocatorRun run)
    {
        Unlink(run);
        run.IsReleased = true;
        _node.PutRun(run);
    }

    private void Link(AllocatorRun run)
    {
        run.Next = _partial;
        if (_partial is not null)
        {
            _partial.Previous = run;
        }

        _partial = run;
    }

    private void Unlink(AllocatorRun run)
    {
        if (run.Previous is null)
        {
            _partial = run.Next;
        }
        else
        {
            run.Previous.Next = run.Next;
        }

        if (run.Next is not null)
        {
            run.Next.Previous = run.Previous;
        }

        run.Previous = run.Next = null;
    }
}
