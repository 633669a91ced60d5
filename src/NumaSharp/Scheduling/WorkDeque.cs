using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

/// <summary>
/// The queue of one worker: the owner pushes and pops the newest item, others steal the oldest (Chase and Lev, "Dynamic
/// circular work-stealing deque", SPAA 2005; orderings of Le et al., PPoPP 2013). Of fixed size: what does not fit goes to
/// the group's queue, so nothing is ever moved while a thief reads it.
/// </summary>
internal sealed class WorkDeque
{
    public const int Capacity = 1024;

    private const int Mask = Capacity - 1;

    private readonly WorkItem[] _slots = new WorkItem[Capacity];
    private Ends _ends;

    // Slots below this are clean; used by the owner only.
    private long _cleared;

    public int Count => (int)Math.Clamp(Volatile.Read(ref _ends.Bottom) - Volatile.Read(ref _ends.Top), 0, Capacity);

    public bool IsEmpty => Volatile.Read(ref _ends.Bottom) <= Volatile.Read(ref _ends.Top);

    /// <summary>Adds the newest item. A full fence after it is visible. Owner only.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPush(WorkItem item)
    {
        var bottom = _ends.Bottom;
        if (bottom - Volatile.Read(ref _ends.Top) >= Capacity)
        {
            return false;
        }

        _slots[bottom & Mask] = item;
        Interlocked.Exchange(ref _ends.Bottom, bottom + 1);
        return true;
    }

    /// <summary>Takes the newest item. Owner only.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryPop(out WorkItem item)
    {
        var bottom = _ends.Bottom - 1;
        var top = Volatile.Read(ref _ends.Top);
        if (top >= bottom)
        {
            item = PopLast(top, bottom);
            return item.IsThere;
        }

        // The claim must be visible before the second look at the other end: it decides which thread gets the last item.
        Interlocked.Exchange(ref _ends.Bottom, bottom);
        top = Volatile.Read(ref _ends.Top);
        if (top >= bottom)
        {
            // Thieves have come that far meanwhile: what is left, if anything, goes to the first thread that takes it.
            Volatile.Write(ref _ends.Bottom, bottom + 1);
            item = PopLast(top, bottom);
            return item.IsThere;
        }

        item = Take(bottom);
        return true;
    }

    /// <summary>Takes the newest item if it runs this task. Owner only.</summary>
    public bool TryTakeBack(Task task, ITaskRunner runner)
    {
        // Only the owner writes slots: TryPop gets this item or none.
        var newest = _ends.Bottom - 1;
        return newest >= Volatile.Read(ref _ends.Top) && _slots[newest & Mask].Is(task, runner) && TryPop(out _);
    }

    /// <summary>Takes the oldest item. Any thread.</summary>
    public bool TrySteal(out WorkItem item)
    {
        while (true)
        {
            var top = Volatile.Read(ref _ends.Top);
            Interlocked.MemoryBarrier();
            if (top >= Volatile.Read(ref _ends.Bottom))
            {
                item = default;
                return false;
            }

            // Copied before it is claimed: once claimed, the owner may reuse the slot. A copy that is torn by that reuse is
            // never claimed, because the top has moved on.
            item = _slots[top & Mask];
            if (Interlocked.CompareExchange(ref _ends.Top, top + 1, top) == top)
            {
                return true;
            }
        }
    }

    /// <summary>
    /// Clears the slots of stolen items: thieves must not clear slots that the owner may be filling again. Owner only, when
    /// the deque is empty.
    /// </summary>
    public void ClearStolen()
    {
        var top = Volatile.Read(ref _ends.Top);
        for (var i = Math.Max(_cleared, top - Capacity); i < top; i++)
        {
            _slots[i & Mask] = default;
        }

        _cleared = top;
    }

    /// <summary>The items, for a debugger that has stopped all threads.</summary>
    public IEnumerable<WorkItem> Snapshot()
    {
        var bottom = Volatile.Read(ref _ends.Bottom);
        for (var i = Volatile.Read(ref _ends.Top); i < bottom; i++)
        {
            yield return _slots[i & Mask];
        }
    }

    // The owner takes the last item as a thief would, from the other end: bottom stays where it is, and nothing has to be claimed
    // first.
    private WorkItem PopLast(long top, long bottom) =>
        top == bottom && Interlocked.CompareExchange(ref _ends.Top, top + 1, top) == top ? Take(bottom) : default;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private WorkItem Take(long index)
    {
        ref var slot = ref _slots[index & Mask];
        var item = slot;
        slot = default;
        return item;
    }

    // Thieves write one end, the owner the other: each has its cache lines (128 bytes with the adjacent-line prefetcher).
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Ends
    {
        [FieldOffset(128)]
        public long Top;

        [FieldOffset(256)]
        public long Bottom;
    }
}
