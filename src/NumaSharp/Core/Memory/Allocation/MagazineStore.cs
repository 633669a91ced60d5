namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The magazines of an allocator: arrays of <see cref="Slots"/> addresses in memory of their own on ordinary pages, known by
/// a number from 1. What is written into freed blocks cannot damage them. Thread-safe.
/// </summary>
internal sealed unsafe class MagazineStore : IDisposable
{
    public const int Slots = 256;

    private const int SizeShift = 11;
    private const int CommitBytes = 64 * 1024;
    private const long WantedBytes = 16L << 30;
    private const long LeastBytes = 1L << 20;

    private readonly Lock _lock = new();
    private readonly NativeRegion _slots;
    private readonly NativeRegion _links;
    private readonly MagazineStack[] _empty;
    private uint _made;
    private uint _usable;

    public MagazineStore(INumaMemoryProvider memory, int nodes)
    {
        (_slots, _links) = Reserve(memory);
        _empty = new MagazineStack[nodes];
        for (var i = 0; i < nodes; i++)
        {
            _empty[i] = new MagazineStack(this);
        }
    }

    /// <summary>Bytes taken from the system for magazines.</summary>
    public long CommittedBytes => _slots.CommittedBytes + _links.CommittedBytes;

    public nint* SlotsOf(uint magazine) => (nint*)(_slots.Start + ((nint)magazine << SizeShift));

    /// <summary>The magazine that a slot is in.</summary>
    public uint MagazineOf(nint* slot) => (uint)(((nint)slot - _slots.Start) >> SizeShift);

    public ref MagazineLink LinkOf(uint magazine) => ref ((MagazineLink*)_links.Start)[magazine];

    /// <summary>An empty magazine, best one that the node used last; 0 when the system gives no memory for it.</summary>
    public uint TakeEmpty(int nodeIndex)
    {
        var magazine = _empty[nodeIndex].Pop();
        return magazine != 0 ? magazine : Make();
    }

    public void PutEmpty(int nodeIndex, uint magazine) => _empty[nodeIndex].Push(magazine, 0);

    /// <summary>Releases the memory; no thread may be using a magazine any more.</summary>
    public void Dispose()
    {
        _slots.Dispose();
        _links.Dispose();
    }

    private static (NativeRegion Slots, NativeRegion Links) Reserve(INumaMemoryProvider memory)
    {
        for (var bytes = WantedBytes; ; bytes /= 2)
        {
            var linkBytes = (bytes >> SizeShift) * sizeof(MagazineLink);
            if (NativeRegion.TryReserve(memory, bytes, out var slots))
            {
                if (NativeRegion.TryReserve(memory, linkBytes, out var links))
                {
                    return (slots, links);
                }

                slots.Dispose();
            }

            if (bytes <= LeastBytes)
            {
#pragma warning disable CA2201 // The BCL's own type for this.
                throw new OutOfMemoryException($"The system gives the allocator no address space for its own data: {bytes} bytes.");
#pragma warning restore CA2201
            }
        }
    }

    private uint Make()
    {
        lock (_lock)
        {
            if (_made + 1 >= _usable && !Grow())
            {
                return 0;
            }

            return ++_made;
        }
    }

    private bool Grow()
    {
        var usable = _usable + (CommitBytes >> SizeShift);
        if (!_slots.EnsureCommitted((long)usable << SizeShift) || !_links.EnsureCommitted((long)usable * sizeof(MagazineLink)))
        {
            return false;
        }

        _usable = usable;
        return true;
    }
}
