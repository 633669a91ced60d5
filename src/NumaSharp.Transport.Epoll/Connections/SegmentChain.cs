using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Blocks in a row, rented from the node's pool when they are needed and returned when they are used up; an empty chain holds
/// none. Not thread-safe: its pipe guards it, and is where it lives.
/// </summary>
internal struct SegmentChain
{
    // Segment objects are kept for the connection's next blocks; a burst's surplus is left to the garbage collector.
    private const int MaxKept = 4;

    private readonly NumaMemoryPool _pool;
    private TransportSegment? _kept;
    private int _keptCount;

    public SegmentChain(NumaMemoryPool pool)
        : this() => _pool = pool;

    public TransportSegment? Head { readonly get; private set; }

    public TransportSegment? Tail { readonly get; private set; }

    public readonly bool Contains(TransportSegment segment)
    {
        var here = Tail;
        if (!ReferenceEquals(here, segment))
        {
            for (here = Head; here is not null && !ReferenceEquals(here, segment); here = here.NextSegment)
            {
            }
        }

        return here is not null;
    }

    /// <summary>Adds an empty block of at least <paramref name="minimumSize"/> bytes.</summary>
    public TransportSegment Append(int minimumSize)
    {
        var block = _pool.RentBlock(minimumSize);
        var segment = TakeObject();
        segment.Attach(block);
        if (Tail is null)
        {
            Head = segment;
        }
        else
        {
            Tail.LinkTo(segment);
        }

        Tail = segment;
        return segment;
    }

    public void RemoveHead()
    {
        var segment = Head!;
        Head = segment.NextSegment;
        if (Head is null)
        {
            Tail = null;
        }

        segment.Release();
        KeepObject(segment);
    }

    /// <summary>Returns the last block. Walks the chain; for the rare case of a block that stayed empty.</summary>
    public void RemoveTail()
    {
        var segment = Tail!;
        if (ReferenceEquals(Head, segment))
        {
            RemoveHead();
            return;
        }

        var before = Head!;
        while (!ReferenceEquals(before.NextSegment, segment))
        {
            before = before.NextSegment!;
        }

        before.Unlink();
        Tail = before;
        segment.Release();
        KeepObject(segment);
    }

    public void Clear()
    {
        while (Head is not null)
        {
            RemoveHead();
        }
    }

    private TransportSegment TakeObject()
    {
        if (_kept is not { } segment)
        {
            return new TransportSegment();
        }

        _kept = segment.NextSegment;
        segment.Unlink();
        _keptCount--;
        return segment;
    }

    private void KeepObject(TransportSegment segment)
    {
        if (_keptCount < MaxKept)
        {
            segment.KeepBefore(_kept);
            _kept = segment;
            _keptCount++;
        }
    }
}
