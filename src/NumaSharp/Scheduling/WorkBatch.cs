using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

/// <summary>
/// What a worker has taken from a queue at once, its group's or that of another group of its node: consumers that take single
/// items wait for each other at the queue's head. The worker and thieves take the oldest. First in, first out.
/// </summary>
internal sealed class WorkBatch
{
    /// <summary>A power of two.</summary>
    public const int Capacity = 8;

    /// <summary>
    /// Of fewer ready items a worker takes one. A batch costs one locked operation more than its items one by one, so it must
    /// save more than that, and what it holds waits behind the item that runs.
    /// </summary>
    public const int LeastReady = 8;

    private const int Mask = Capacity - 1;

    private const int CountBits = 8;
    private const long One = 1L << CountBits;

    private readonly WorkItem[] _slots = new WorkItem[Capacity];
    private Range _range;

    public int Count => CountOf(Volatile.Read(ref _range.Packed));

    public bool IsEmpty => Count == 0;

    /// <summary>How many items there have been in it, up to now. Owner only.</summary>
    public long Added
    {
        get
        {
            var range = Volatile.Read(ref _range.Packed);
            return (range >> CountBits) + CountOf(range);
        }
    }

    /// <summary>
    /// Takes items that the owner has claimed in a ring. A full fence after they are visible. Owner only, when it is empty.
    /// </summary>
    /// <param name="ring">The ring.</param>
    /// <param name="position">The position of the first item there.</param>
    /// <param name="count">1 to <see cref="Capacity"/>.</param>
    public void Fill(WorkRing ring, long position, int count)
    {
        // While it is empty, no other thread changes it. Its first number is never used again: so a thief that has copied what
        // was in a slot before cannot claim it.
        var range = _range.Packed;
        for (var i = 0; i < count; i++)
        {
            _slots[((range >> CountBits) + i) & Mask] = ring.Take(position + i);
        }

        Interlocked.Exchange(ref _range.Packed, range + count);
    }

    /// <summary>Takes the oldest item. Any thread.</summary>
    public bool TryTake(out WorkItem item) => TryTake(out item, out _);

    /// <summary>Takes the oldest item, and keeps no reference to it. Owner only.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPop(out WorkItem item)
    {
        if (!TryTake(out item, out var number))
        {
            return false;
        }

        _slots[number & Mask] = default;
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryTake(out WorkItem item, out long number)
    {
        var range = Volatile.Read(ref _range.Packed);
        while (CountOf(range) != 0)
        {
            // Copied before it is claimed: once claimed, the owner may reuse the slot.
            number = range >> CountBits;
            item = _slots[number & Mask];
            var seen = Interlocked.CompareExchange(ref _range.Packed, range + One - 1, range);
            if (seen == range)
            {
                return true;
            }

            range = seen;
        }

        (item, number) = (default, 0);
        return false;
    }

    /// <summary>Clears the slots of what thieves took. Owner only, when it is empty.</summary>
    public void Clear() => Array.Clear(_slots);

    /// <summary>The items, for a debugger that has stopped all threads.</summary>
    public IEnumerable<WorkItem> Snapshot()
    {
        var range = Volatile.Read(ref _range.Packed);
        for (var i = 0; i < CountOf(range); i++)
        {
            yield return _slots[((range >> CountBits) + i) & Mask];
        }
    }

    private static int CountOf(long range) => (int)(range & (One - 1));

    // The number of the first item, and how many there are. On cache lines of its own (128 bytes with the adjacent-line
    // prefetcher).
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Range
    {
        [FieldOffset(128)]
        public long Packed;
    }
}
