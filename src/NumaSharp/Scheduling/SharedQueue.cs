using System.Numerics;

namespace NumaSharp.Scheduling;

/// <summary>
/// The queue of a group: a chain of rings, mostly of one. A full ring is closed and followed by a larger one, so that nothing is
/// allocated once the last is large enough for the load. A ring also looks full when a consumer that was preempted while it took
/// an item holds up a slot: the size of the next ring then follows from the number of waiting items. First in, first out.
/// </summary>
internal sealed class SharedQueue
{
    // 24 bytes a slot: 24 KB stay in a core's cache, 6 MB hold what a fast producer queues while slow workers are busy.
    public const int MinCapacity = 1 << 10;
    public const int MaxCapacity = 1 << 18;

    public const long ShrinkAfterMilliseconds = 1000;

    private const int GrowthFactor = 4;

    private readonly Lock _growth = new();
    private WorkRing _head;
    private WorkRing _tail;
    private long _grownAt;

    public SharedQueue() => _head = _tail = new WorkRing(MinCapacity);

    /// <summary>The ring that producers use.</summary>
    public WorkRing Last => Volatile.Read(ref _tail);

    public long Count
    {
        get
        {
            long count = 0;
            for (var ring = Volatile.Read(ref _head); ring is not null; ring = ring.Next)
            {
                count += ring.Count;
            }

            return count;
        }
    }

    /// <summary>Whether nothing can be taken: an item that is still being written does not count.</summary>
    public bool IsEmpty
    {
        get
        {
            var ring = Volatile.Read(ref _head);
            while (ring.IsEmpty)
            {
                var next = ring.Next;
                if (next is null || !ring.IsDrained)
                {
                    return true;
                }

                ring = next;
            }

            return false;
        }
    }

    /// <summary>Adds an item. A full fence after it is visible.</summary>
    public void Enqueue(WorkItem item)
    {
        var ring = Volatile.Read(ref _tail);
        while (!ring.TryEnqueue(item))
        {
            // Not smaller than the last: only a queue that was not full for a while shrinks.
            Extend(ring, Math.Max(ring.Capacity, CapacityFor(ring.Count)));
            ring = Volatile.Read(ref _tail);
        }
    }

    /// <summary>Takes the oldest item.</summary>
    public bool TryDequeue(out WorkItem item)
    {
        var ring = Volatile.Read(ref _head);
        while (!ring.TryDequeue(out item))
        {
            if (!TryMoveOn(ref ring))
            {
                return false;
            }
        }

        return true;
    }

    /// <inheritdoc cref="WorkRing.TryDequeue(WorkBatch, out WorkItem)"/>
    public bool TryDequeue(WorkBatch rest, out WorkItem item)
    {
        var ring = Volatile.Read(ref _head);
        while (!ring.TryDequeue(rest, out item))
        {
            if (!TryMoveOn(ref ring))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>
    /// Replaces a large ring that was not needed for a while, to free its memory. Called by a worker without work.
    /// </summary>
    public void Trim() => Trim(Environment.TickCount64);

    /// <inheritdoc cref="Trim()"/>
    /// <param name="now">The time, in milliseconds of <see cref="Environment.TickCount64"/>.</param>
    public void Trim(long now)
    {
        var ring = Volatile.Read(ref _tail);
        if (ring.Capacity != MinCapacity && ring.IsEmpty
            && now - Volatile.Read(ref _grownAt) > ShrinkAfterMilliseconds)
        {
            Extend(ring, MinCapacity);
        }
    }

    /// <summary>The items, for a debugger that has stopped all threads.</summary>
    public IEnumerable<WorkItem> Snapshot()
    {
        for (var ring = Volatile.Read(ref _head); ring is not null; ring = ring.Next)
        {
            foreach (var item in ring.Snapshot())
            {
                yield return item;
            }
        }
    }

    // Not past a ring with an item that is still being written: its producer announces it afterwards.
    private bool TryMoveOn(ref WorkRing ring)
    {
        var next = ring.Next;
        if (next is null || !ring.IsDrained)
        {
            return false;
        }

        Interlocked.CompareExchange(ref _head, next, ring);
        ring = Volatile.Read(ref _head);
        return true;
    }

    // A power of two, and more than twice the number of waiting items.
    private static int CapacityFor(int waiting) =>
        Math.Clamp(1 << BitOperations.Log2((uint)waiting * GrowthFactor), MinCapacity, MaxCapacity);

    private void Extend(WorkRing last, int capacity)
    {
        lock (_growth)
        {
            if (_tail == last)
            {
                Volatile.Write(ref _grownAt, Environment.TickCount64);
                last.Close(new WorkRing(capacity));
                Volatile.Write(ref _tail, last.Next!);
            }
        }
    }
}
