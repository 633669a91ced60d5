using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The blocks of one size on one node that no thread keeps: full magazines in a lock-free depot, and the run that new ones
/// are cut from, under a lock. Lock order: thread heap, size, node.
/// </summary>
internal sealed unsafe class SizeCentral
{
    private const int MagazineBytes = 2048 * 1024;
    private const int LeastSlots = 8;
    private const int CarveBytes = 64 * 1024;

    private readonly Lock _lock = new();
    private readonly AllocatorNode _node;
    private readonly MagazineStore _store;
    private readonly List<AllocatorRun> _runs = [];
    private AllocatorRun? _current;
    private DepotHeads _depot;
    private nint _loose;
    private bool _closed;
    private long _carved;
    private long _looseBlocks;

    public SizeCentral(AllocatorNode node, MagazineStore store, int sizeClass)
    {
        _node = node;
        _store = store;
        SizeClass = sizeClass;
        BlockSize = SizeClasses.SizeOf(sizeClass);
        Stride = SizeClasses.StrideOf(sizeClass);
        MagazineCapacity = Math.Clamp(MagazineBytes / BlockSize, LeastSlots, MagazineStore.Slots);
    }

    public int SizeClass { get; }

    public int BlockSize { get; }

    /// <summary>How far blocks are apart, in bytes.</summary>
    public int Stride { get; }

    /// <summary>How many blocks a magazine of this size holds: at most about 2 MiB, at least 8 blocks.</summary>
    public int MagazineCapacity { get; }

    public AllocatorNode Node => _node;

    /// <summary>Blocks that exist, in use or free.</summary>
    public long Carved => Volatile.Read(ref _carved);

    /// <summary>Blocks that no thread keeps.</summary>
    public long FreeBlocks => Volatile.Read(ref _depot.Blocks) + Volatile.Read(ref _looseBlocks);

    /// <summary>A full magazine of the depot; 0 when it has none.</summary>
    public uint TakeFull(out int count)
    {
        var magazine = _store.Pop(ref _depot.Full);
        count = 0;
        if (magazine != 0)
        {
            count = _store.CountOf(magazine);
            var left = Interlocked.Add(ref _depot.Blocks, -count);
            if (left < Volatile.Read(ref _depot.LeastBlocks))
            {
                Volatile.Write(ref _depot.LeastBlocks, left);
            }
        }

        return magazine;
    }

    public void PutFull(uint magazine, int count)
    {
        Interlocked.Add(ref _depot.Blocks, count);
        _store.Push(ref _depot.Full, magazine, count);
    }

    /// <summary>An empty magazine; 0 when the system gives no memory for one.</summary>
    public uint TakeEmpty()
    {
        var magazine = _store.Pop(ref _depot.Empty);
        return magazine != 0 ? magazine : _store.TakeEmpty();
    }

    public void PutEmpty(uint magazine) => _store.Push(ref _depot.Empty, magazine, 0);

    /// <summary>Takes all empty magazines.</summary>
    public void TakeAllEmpty(List<uint> magazines)
    {
        for (var magazine = _store.Pop(ref _depot.Empty); magazine != 0; magazine = _store.Pop(ref _depot.Empty))
        {
            magazines.Add(magazine);
        }
    }

    /// <summary>Takes blocks that are in no magazine, or cuts off new ones.</summary>
    /// <returns>How many; 0 when the node has no memory for any.</returns>
    public int Carve(nint* slots, int room, out NumaResult failure)
    {
        lock (_lock)
        {
            failure = NumaResult.Success;
            ObjectDisposedException.ThrowIf(_closed, typeof(NumaAllocator));
            var count = TakeLoose(slots, room);
            if (count > 0)
            {
                return count;
            }

            // A trim that has just ended may have taken them all for a moment.
            count = TakeSome(slots, room);
            if (count > 0)
            {
                return count;
            }

            if (_current is null or { Remaining: 0 })
            {
                _current = _node.TakeRun(this, out failure);
                if (_current is null)
                {
                    return 0;
                }

                _runs.Add(_current);
            }

            count = Math.Min(Math.Min(room, _current.Remaining), Math.Max(1, CarveBytes / BlockSize));
            _current.Carve(slots, count);
            if (_node.CarvesInRandomOrder)
            {
                Random.Shared.Shuffle(new Span<nint>(slots, count));
            }

            Volatile.Write(ref _carved, _carved + count);
            return count;
        }
    }

    /// <summary>
    /// Keeps a block when the system has no memory for another magazine: the list is linked through the blocks.
    /// </summary>
    public void PutLoose(nint block)
    {
        // Nothing else refers to the block: an interruption must not lose it.
        using (UninterruptedLock.Enter(_lock))
        {
            *(nint*)block = _loose;
            _loose = block;
            Volatile.Write(ref _looseBlocks, _looseBlocks + 1);
        }
    }

    /// <summary>Refuses to cut off further blocks.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _closed = true;
        }
    }

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

            // The depot was empty because of this call, not because blocks were needed.
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

    private int TakeSome(nint* slots, int room)
    {
        var magazine = TakeFull(out var count);
        if (magazine == 0)
        {
            return 0;
        }

        var left = Math.Max(0, count - room);
        var blocks = new Span<nint>(_store.SlotsOf(magazine), count);
        blocks[left..].CopyTo(new Span<nint>(slots, room));
        if (left > 0)
        {
            PutFull(magazine, left);
        }
        else
        {
            PutEmpty(magazine);
        }

        return count - left;
    }

    private int TakeLoose(nint* slots, int room)
    {
        var count = 0;
        while (count < room && _loose != 0)
        {
            slots[count++] = _loose;
            _loose = *(nint*)_loose;
        }

        Volatile.Write(ref _looseBlocks, _looseBlocks - count);
        return count;
    }

    // Giving back runs that are wholly free.

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

/// <summary>
/// The lists by which threads exchange magazines: on one pair of cache lines, because a thread that brings a full one takes an
/// empty one, and apart from other sizes, which other threads use.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct DepotHeads
{
    /// <summary>The head of the list of full magazines.</summary>
    [FieldOffset(128)]
    public long Full;

    /// <summary>The head of the list of empty magazines.</summary>
    [FieldOffset(136)]
    public long Empty;

    /// <summary>How many blocks are in the full ones.</summary>
    [FieldOffset(144)]
    public long Blocks;

    /// <summary>The minimum of <see cref="Blocks"/> since the last trim.</summary>
    [FieldOffset(152)]
    public long LeastBlocks;
}
