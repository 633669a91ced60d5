using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// A sequence of blocks, rented from the node's pool on demand and returned when used up; an empty chain holds none. Not
/// thread-safe: guarded by its pipe. A mutable struct: keep it in the pipe's field.
/// </summary>
internal struct SegmentChain
{
    // Segment objects are kept for the connection's next blocks; the surplus of a burst is garbage collected.
    private const int MaxKept = 4;

    // Moved bytes take at most one block of these sizes more than their length.
    private const int SmallBlock = 4 << 10;
    private const int MediumBlock = 16 << 10;

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

    public void RemoveHead() => RemoveHead(isCold: false);

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
        segment.Release(isCold: false);
        KeepObject(segment);
    }

    public void Clear()
    {
        while (Head is not null)
        {
            RemoveHead();
        }
    }

    /// <summary>
    /// Moves the remaining bytes, from the first one that was neither consumed nor sent, into blocks that fit them, and returns
    /// the old blocks. The caller must be the only user of the chain's memory. If new blocks cannot be rented, nothing changes.
    /// </summary>
    /// <param name="consumed">The number of consumed bytes in the first block.</param>
    /// <param name="moved">The number of bytes moved.</param>
    public bool TryMoveToSmallBlocks(int consumed, out long moved)
    {
        moved = 0;
        var small = new SegmentChain(_pool);
        try
        {
            for (var segment = Head; segment is not null; segment = segment.NextSegment)
            {
                var rest = segment.FilledFrom(segment.Sent + consumed);
                moved += rest.Length;
                consumed = 0;
                small.Write(rest);
            }
        }
        catch (OutOfMemoryException)
        {
            small.Clear();
            moved = 0;
            return false;
        }

        // The pages of the large blocks go back to the system as well: the small blocks came on top of them.
        while (Head is not null)
        {
            RemoveHead(isCold: true);
        }

        (Head, Tail) = (small.Head, small.Tail);
        return true;
    }

    private void RemoveHead(bool isCold)
    {
        var segment = Head!;
        Head = segment.NextSegment;
        if (Head is null)
        {
            Tail = null;
        }

        segment.Release(isCold);
        KeepObject(segment);
    }

    private void Write(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var tail = Tail is { Room: > 0 } open ? open : Append(bytes.Length > MediumBlock / 2 ? MediumBlock : SmallBlock);
            var count = Math.Min(bytes.Length, tail.Room);
            bytes[..count].CopyTo(tail.FreeSpan);
            tail.Fill(count);
            tail.Publish();
            bytes = bytes[count..];
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
