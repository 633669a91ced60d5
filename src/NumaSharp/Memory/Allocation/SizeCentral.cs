namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The blocks of one size on one node that no thread keeps: full magazines in a lock-free depot, and the run that new ones
/// are cut from, under a lock. Lock order: thread heap, size, node.
/// </summary>
internal sealed unsafe partial class SizeCentral
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
}
