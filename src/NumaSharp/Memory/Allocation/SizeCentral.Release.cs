namespace NumaSharp.Core.Memory.Allocation;

/// <content>Giving back runs that are wholly free.</content>
internal sealed unsafe partial class SizeCentral
{
    /// <summary>
    /// Gives runs back to the node if all their blocks are in the depot. Threads that need this size from the depot meanwhile cut
    /// off new blocks or wait.
    /// </summary>
    /// <param name="mostBlocks">How many blocks at most, for a trim that leaves what has been in use lately.</param>
    /// <param name="magazines">An empty list, to be used meanwhile.</param>
    public void ReleaseFreeRuns(long mostBlocks, List<uint> magazines)
    {
        lock (_lock)
        {
            try
            {
                TakeAll(magazines);
                CountFree(magazines);
                if (SelectFreeRuns(mostBlocks))
                {
                    Drop(magazines);
                }
            }
            finally
            {
                // One that stays in the list would go to the next size.
                foreach (var magazine in magazines)
                {
                    PutBack(magazine);
                }

                magazines.Clear();
            }

            // The depot was empty meanwhile because of this call, not because blocks were needed.
            Volatile.Write(ref _depot.LeastBlocks, Volatile.Read(ref _depot.Blocks));
        }
    }

    /// <summary>The fewest blocks that were free in the depot since the last call: these were not needed.</summary>
    public long TakeLeastFree()
    {
        var free = Volatile.Read(ref _depot.Blocks);
        return Math.Min(free, Interlocked.Exchange(ref _depot.LeastBlocks, free));
    }

    /// <summary>
    /// How many blocks are in use or kept by threads. Exact while no magazine comes or goes: after <see cref="Close"/>, and while
    /// no run is released. Without the lock, because a finalizer counts them, too.
    /// </summary>
    public long CountTaken() => Carved - FreeBlocks;

    private void TakeAll(List<uint> magazines)
    {
        while (true)
        {
            // Before it is taken: none is lost for want of managed memory.
            magazines.EnsureCapacity(magazines.Count + 1);
            var magazine = TakeFull(out _);
            if (magazine == 0)
            {
                return;
            }

            magazines.Add(magazine);
        }
    }

    private void CountFree(List<uint> magazines)
    {
        foreach (var run in _runs)
        {
            run.Free = 0;
        }

        foreach (var magazine in magazines)
        {
            foreach (var block in BlocksIn(magazine))
            {
                _node.FindRun(block)!.Free++;
            }
        }

        for (var block = _loose; block != 0; block = *(nint*)block)
        {
            _node.FindRun(block)!.Free++;
        }
    }

    private bool SelectFreeRuns(long mostBlocks)
    {
        long released = 0;
        foreach (var run in _runs)
        {
            if (run.Free == run.Carved && released + run.Carved <= mostBlocks)
            {
                run.IsReleased = true;
                released += run.Carved;
            }
        }

        Volatile.Write(ref _carved, _carved - released);
        return _runs.Exists(static run => run.IsReleased);
    }

    private void Drop(List<uint> magazines)
    {
        foreach (var magazine in magazines)
        {
            var kept = 0;
            var blocks = BlocksIn(magazine);
            foreach (var block in blocks)
            {
                if (!_node.FindRun(block)!.IsReleased)
                {
                    blocks[kept++] = block;
                }
            }

            _store.SetCount(magazine, kept);
        }

        DropLoose();
        if (_current is { IsReleased: true })
        {
            _current = null;
        }

        foreach (var run in _runs)
        {
            if (run.IsReleased)
            {
                _node.PutRun(run);
            }
        }

        _runs.RemoveAll(static run => run.IsReleased);
    }

    private void DropLoose()
    {
        var kept = (nint)0;
        long count = 0;
        for (var block = _loose; block != 0;)
        {
            var next = *(nint*)block;
            if (!_node.FindRun(block)!.IsReleased)
            {
                *(nint*)block = kept;
                kept = block;
                count++;
            }

            block = next;
        }

        _loose = kept;
        Volatile.Write(ref _looseBlocks, count);
    }

    private void PutBack(uint magazine)
    {
        var count = _store.CountOf(magazine);
        if (count > 0)
        {
            PutFull(magazine, count);
        }
        else
        {
            PutEmpty(magazine);
        }
    }

    private Span<nint> BlocksIn(uint magazine) =>
        new(_store.SlotsOf(magazine), _store.CountOf(magazine));
}
