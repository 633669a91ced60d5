using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The magazines of an allocator: arrays of <see cref="Slots"/> addresses in memory of their own on ordinary pages, known by
/// a number from 1. Writes into freed blocks cannot damage them. Thread-safe.
/// </summary>
internal sealed unsafe class MagazineStore : IDisposable
{
    public const int Slots = ((1 << SizeShift) / 8) - 2;

    private const int SizeShift = 11;
    private const int GroupShift = 5;
    private const int GroupBytes = 1 << (SizeShift + GroupShift);
    private const long WantedBytes = 16L << 30;
    private const long LeastBytes = 1L << 20;

    private readonly Lock _lock = new();
    private readonly NativeRegion _region;
    private readonly Stack<uint> _discarded = new();
    private long _empty;
    private uint _groups;
    private uint _next;
    private uint _end;

    public MagazineStore(INumaMemoryProvider memory) => _region = Reserve(memory);

    public nint* SlotsOf(uint magazine) => (nint*)(HeaderOf(magazine) + 1);

    /// <summary>The magazine that a slot is in.</summary>
    public uint MagazineOf(nint* slot) => (uint)(((nint)slot - _region.Start) >> SizeShift);

    public int CountOf(uint magazine) => HeaderOf(magazine)->Count;

    public void SetCount(uint magazine, int count) => HeaderOf(magazine)->Count = count;

    /// <summary>An empty magazine; 0 when the system gives no memory for one.</summary>
    public uint TakeEmpty()
    {
        var magazine = Pop(ref _empty);
        if (magazine != 0)
        {
            return magazine;
        }

        // In the middle of a free, among others.
        using (UninterruptedLock.Enter(_lock))
        {
            if (_next == _end && !TakeGroup())
            {
                return 0;
            }

            return _next++;
        }
    }

    /// <summary>Gives the pages of empty magazines back to the system, as far as these fill pages; keeps the others.</summary>
    /// <param name="empty">Magazines that are in no list.</param>
    public void Discard(List<uint> empty)
    {
        // Magazines left over the last time may now fill pages together with others.
        for (var magazine = Pop(ref _empty); magazine != 0; magazine = Pop(ref _empty))
        {
            empty.Add(magazine);
        }

        empty.Sort();
        for (var i = 0; i < empty.Count;)
        {
            var group = empty[i] >> GroupShift;
            var first = i;
            while (i < empty.Count && empty[i] >> GroupShift == group)
            {
                i++;
            }

            if (i - first < 1 << GroupShift || !TryDiscard(group))
            {
                for (var k = first; k < i; k++)
                {
                    Push(ref _empty, empty[k], 0);
                }
            }
        }
    }

    /// <summary>
    /// Puts a magazine on a list, without a lock (R. K. Treiber, 1986). A head is a magazine's number and a tag that every change
    /// increments, so that a head which comes back in the meantime (the ABA problem) is detected.
    /// </summary>
    public void Push(ref long head, uint magazine, int count)
    {
        var header = HeaderOf(magazine);
        header->Count = count;
        var seen = Volatile.Read(ref head);
        while (true)
        {
            Volatile.Write(ref header->Next, (uint)seen);
            var found = Interlocked.CompareExchange(ref head, WithNext(seen, magazine), seen);
            if (found == seen)
            {
                return;
            }

            seen = found;
        }
    }

    /// <summary>Takes the magazine that was put on a list last; 0 when there is none.</summary>
    public uint Pop(ref long head)
    {
        var seen = Volatile.Read(ref head);
        while ((uint)seen != 0)
        {
            // Never unmapped while the allocator lives: a magazine that another thread has taken can still be read.
            var next = Volatile.Read(ref HeaderOf((uint)seen)->Next);
            var found = Interlocked.CompareExchange(ref head, WithNext(seen, next), seen);
            if (found == seen)
            {
                return (uint)seen;
            }

            seen = found;
        }

        return 0;
    }

    /// <summary>Releases the memory; no thread may be using a magazine any more.</summary>
    public void Dispose() => _region.Dispose();

    private static long WithNext(long head, uint magazine) => (long)((((ulong)head >> 32) + 1) << 32) | magazine;

    private static NativeRegion Reserve(INumaMemoryProvider memory)
    {
        for (var bytes = WantedBytes; bytes >= LeastBytes; bytes /= 2)
        {
            if (!NativeRegion.TryReserve(memory, bytes, out var region))
            {
                continue;
            }

            if (bytes is WantedBytes or LeastBytes)
            {
                return region;
            }

            region.Dispose();
            bytes = Math.Max(bytes / AllocatorRange.ShareOfScarce, LeastBytes);
            if (NativeRegion.TryReserve(memory, bytes, out region))
            {
                return region;
            }
        }

#pragma warning disable CA2201 // The BCL's own type for this.
        throw new OutOfMemoryException($"No address space for the allocator's own data: it needs {LeastBytes} bytes.");
#pragma warning restore CA2201
    }

    private MagazineHeader* HeaderOf(uint magazine) => (MagazineHeader*)(_region.Start + ((nint)magazine << SizeShift));

    private bool TakeGroup()
    {
        if (!_discarded.TryPop(out var group))
        {
            group = _groups;
            if (!_region.EnsureCommitted((long)(group + 1) * GroupBytes))
            {
                return false;
            }

            _groups++;
        }

        // 0 is no magazine.
        _next = Math.Max(1, group << GroupShift);
        _end = (group + 1) << GroupShift;
        return true;
    }

    private bool TryDiscard(uint group)
    {
        using (UninterruptedLock.Enter(_lock))
        {
            if (!_region.Discard((long)group * GroupBytes, GroupBytes))
            {
                return false;
            }

            _discarded.Push(group);
            return true;
        }
    }
}

/// <summary>In front of a magazine's slots, on the cache line of the first of them.</summary>
[StructLayout(LayoutKind.Sequential, Size = 16)]
internal struct MagazineHeader
{
    /// <summary>The magazine below in a list.</summary>
    public uint Next;

    /// <summary>How many blocks are in it, from the first slot on.</summary>
    public int Count;
}
