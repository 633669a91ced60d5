using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Scheduling;

/// <summary>
/// A bounded queue for any number of threads at both ends (Vyukov, "Bounded MPMC queue"): the sequence number of a slot tells
/// whether a producer or a consumer is next. First in, first out. Closed for good when another ring follows it.
/// </summary>
internal sealed class WorkRing
{
    // Set in the tail of a closed ring: no sequence number is that far, so the ring looks full to producers.
    private const long Closed = 1L << 62;

    private readonly Slot[] _slots;
    private readonly int _mask;
    private Ends _ends;
    private WorkRing? _next;

    /// <param name="capacity">A power of two.</param>
    public WorkRing(int capacity)
    {
        _slots = new Slot[capacity];
        _mask = capacity - 1;
        for (var i = 0; i < capacity; i++)
        {
            _slots[i].Sequence = i;
        }
    }

    public int Capacity => _slots.Length;

    public int Count => (int)Math.Clamp(Tail - Volatile.Read(ref _ends.Head), 0, _slots.Length);

    /// <summary>The ring that takes what comes after this one was closed.</summary>
    public WorkRing? Next => Volatile.Read(ref _next);

    /// <summary>Whether all items have been taken. Only a ring with a successor stays so.</summary>
    public bool IsDrained => Tail == Volatile.Read(ref _ends.Head);

    /// <summary>Whether nothing can be taken: an item that is still being written does not count.</summary>
    public bool IsEmpty
    {
        get
        {
            while (true)
            {
                var head = Volatile.Read(ref _ends.Head);
                if (Volatile.Read(ref _slots[head & _mask].Sequence) == head + 1)
                {
                    return false;
                }

                if (Volatile.Read(ref _ends.Head) == head)
                {
                    return true;
                }
            }
        }
    }

    /// <summary>Adds an item. A full fence after it is visible.</summary>
    /// <returns>False when there is no room.</returns>
    public bool TryEnqueue(WorkItem item)
    {
        var tail = Volatile.Read(ref _ends.Tail);
        while (true)
        {
            ref var slot = ref _slots[tail & _mask];
            var lead = Volatile.Read(ref slot.Sequence) - tail;
            if (lead < 0)
            {
                return false;
            }

            if (lead > 0)
            {
                tail = Volatile.Read(ref _ends.Tail);
                continue;
            }

            var seen = Interlocked.CompareExchange(ref _ends.Tail, tail + 1, tail);
            if (seen == tail)
            {
                slot.Item = item;
                Interlocked.Exchange(ref slot.Sequence, tail + 1);
                return true;
            }

            tail = seen;
        }
    }

    /// <summary>Refuses all further items. At most once.</summary>
    public void Close(WorkRing next)
    {
        Interlocked.Or(ref _ends.Tail, Closed);
        Volatile.Write(ref _next, next);
    }

    /// <summary>Takes the oldest item.</summary>
    public bool TryDequeue(out WorkItem item)
    {
        if (!TryClaim(out var position))
        {
            item = default;
            return false;
        }

        item = Take(position);
        return true;
    }

    /// <summary>
    /// Takes the oldest item, and of a backlog those behind it into a batch, which is empty: half of what is ready, so that the
    /// next consumer finds some, too.
    /// </summary>
    public bool TryDequeue(WorkBatch rest, out WorkItem item)
    {
        if (!TryClaim(WorkBatch.Capacity, out var position, out var count))
        {
            item = default;
            return false;
        }

        item = Take(position);
        if (count > 1)
        {
            rest.Fill(this, position + 1, count - 1);
        }

        return true;
    }

    /// <summary>The first half of taking the oldest item: the caller owns it, but it is still in its slot.</summary>
    public bool TryClaim(out long position) => TryClaim(1, out position, out _);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryClaim(int most, out long position, out int count)
    {
        var head = Volatile.Read(ref _ends.Head);
        while (true)
        {
            count = CountReady(head, (2 * most) - 1);
            count = count < WorkBatch.LeastReady ? Math.Min(count, 1) : (count + 1) / 2;
            if (count != 0)
            {
                var seen = Interlocked.CompareExchange(ref _ends.Head, head + count, head);
                if (seen == head)
                {
                    position = head;
                    return true;
                }

                head = seen;
                continue;
            }

            var now = Volatile.Read(ref _ends.Head);
            if (now == head)
            {
                position = 0;
                return false;
            }

            head = now;
        }
    }

    // They stay ready for as long as the head does not move.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int CountReady(long head, int most)
    {
        var count = 0;
        while (count < most && Volatile.Read(ref _slots[(head + count) & _mask].Sequence) == head + count + 1)
        {
            count++;
        }

        return count;
    }

    /// <summary>
    /// The second half: takes what was claimed. Until then the ring looks full when its tail comes round to the slot.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public WorkItem Take(long position)
    {
        ref var slot = ref _slots[position & _mask];
        var item = slot.Item;
        slot.Item = default;
        Volatile.Write(ref slot.Sequence, position + _slots.Length);
        return item;
    }

    /// <summary>The items, for a debugger that has stopped all threads.</summary>
    public IEnumerable<WorkItem> Snapshot()
    {
        for (var i = Volatile.Read(ref _ends.Head); Volatile.Read(ref _slots[i & _mask].Sequence) == i + 1; i++)
        {
            yield return _slots[i & _mask].Item;
        }
    }

    private long Tail => Volatile.Read(ref _ends.Tail) & ~Closed;

    private struct Slot
    {
        public WorkItem Item;
        public long Sequence;
    }

    // Producers write one end, consumers the other: each has its cache lines (128 bytes with the adjacent-line prefetcher).
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Ends
    {
        [FieldOffset(128)]
        public long Tail;

        [FieldOffset(256)]
        public long Head;
    }
}
