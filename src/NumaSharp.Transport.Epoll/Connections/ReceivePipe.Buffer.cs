using System.Buffers;
using System.IO.Pipelines;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>The bytes that were received and not yet consumed.</content>
internal sealed unsafe partial class ReceivePipe
{
    // A block with less room than this is not worth a system call.
    private const int MinimumRoom = 1024;

    // Reads by one connection before others of its loop or workers get their turn: a client can send small frames (HTTP/2 PING
    // and SETTINGS), each costing the application a microsecond, faster than they are handled.
    private const byte ReadsInARow = 16;
    private const int BytesInARow = 128 << 10;

    private readonly long _readAheadLimit;
    private SegmentChain _chain;
    private BlockSizer _sizer;
    private int _headIndex;
    private bool _examinedAll = true;
    private bool _isReading;
    private bool _isPaused;
    private bool _isReadable;
    private bool _drainFully;
    private int _bytesLeft;
    private byte _readsLeft;

    /// <summary>The address of the block that received the last bytes.</summary>
    public nint LastBlockAddress { get; private set; }

    /// <summary>Whether there are bytes that the application has not consumed; exact on the reading thread.</summary>
    public bool HasBytes =>
        _chain.Head is { } head && (!ReferenceEquals(head, _chain.Tail) || _headIndex < head.Filled);

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    // Under the lock: the loop may be receiving the bytes before the client's end of stream.
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        lock (_lock)
        {
            Advance(consumed, examined);
        }
    }

    private long UnreadBytes => _chain.Head is { } head
        ? _chain.Tail!.RunningIndex + _chain.Tail.Filled - head.RunningIndex - _headIndex
        : 0;

    private void Advance(SequencePosition consumed, SequencePosition examined)
    {
        AssertLocked();
        if (!_isReading)
        {
            throw new InvalidOperationException("AdvanceTo was called without a read, or again after the same one.");
        }

        if (consumed.GetObject() is not TransportSegment consumedSegment)
        {
            // The empty sequence has no segments: there was nothing to consume.
            _isReading = false;
            _examinedAll |= !HasBytes;
            return;
        }

        // Checked before any state changes. A position from an earlier read may point into a released segment.
        if (examined.GetObject() is not TransportSegment examinedSegment
            || !IsAhead(consumedSegment, consumed.GetInteger())
            || !IsAhead(examinedSegment, examined.GetInteger()))
        {
            throw new InvalidOperationException("AdvanceTo was called with a position outside the buffer of the last read.");
        }

        if (examinedSegment.RunningIndex + examined.GetInteger() < consumedSegment.RunningIndex + consumed.GetInteger())
        {
            throw new InvalidOperationException("AdvanceTo was called with a consumed position beyond the examined one.");
        }

        _isReading = false;
        var tail = _chain.Tail!;
        _examinedAll = ReferenceEquals(examinedSegment, tail) && examined.GetInteger() == tail.Filled;
        while (!ReferenceEquals(_chain.Head, consumedSegment))
        {
            _chain.RemoveHead();
        }

        _headIndex = consumed.GetInteger();
        if (_headIndex < consumedSegment.Filled)
        {
            return;
        }

        _headIndex = 0;
        if (ReferenceEquals(consumedSegment, tail))
        {
            _examinedAll = true;
            ReleaseOrRewind();
        }
        else
        {
            _chain.RemoveHead();
        }
    }

    // Whether a position lies in the unconsumed bytes.
    private bool IsAhead(TransportSegment segment, int index) =>
        _chain.Contains(segment)
        && index <= segment.Filled
        && index >= (ReferenceEquals(segment, _chain.Head) ? _headIndex : 0);

    private void ReleaseOrRewind()
    {
        if (_connection.Shard.Options.WaitForDataBeforeAllocatingBuffer || _chain.Tail!.Capacity != _sizer.Size)
        {
            _chain.RemoveHead();
        }
        else
        {
            _chain.Tail.Rewind();
        }
    }

    private ReadResult MakeResult(bool isCanceled)
    {
        AssertLocked();
        _isReading = true;
        var buffer = HasBytes
            ? new ReadOnlySequence<byte>(_chain.Head!, _headIndex, _chain.Tail!, _chain.Tail!.Filled)
            : default;
        return new ReadResult(buffer, isCanceled, _ended);
    }

    /// <summary>Starts a loop callback or a work item, in which reads may receive.</summary>
    public void BeginTurn()
    {
        _readsLeft = ReadsInARow;
        _bytesLeft = BytesInARow;
    }

    /// <summary>Moves the reader's unconsumed bytes into small blocks, if it waits with large ones.</summary>
    /// <returns>The number of bytes moved.</returns>
    public long MoveToSmallBlocks()
    {
        lock (_lock)
        {
            if (_state != ReadState.Waiting || !IsWasteful || !_chain.TryMoveToSmallBlocks(_headIndex, out var moved))
            {
                return 0;
            }

            _headIndex = 0;
            _sizer = new BlockSizer(_readAheadLimit);
            return moved;
        }
    }

    // A waiting reader leaves the start of a message that it cannot handle yet.
    private bool IsWasteful => HasBytes && _headIndex + _chain.Tail!.Room >= LargeBlockSweep.LeastWaste;

    private bool TryUseTurn()
    {
        if (_bytesLeft <= 0 || _readsLeft == 0)
        {
            return false;
        }

        _readsLeft--;
        return true;
    }

    /// <summary>Receives once. Called with the lock held.</summary>
    /// <returns>
    /// False if there is no data yet, or the socket has failed, which the reader learns later; true for bytes, the end of the
    /// stream, or an error.
    /// </returns>
    private bool Receive()
    {
        AssertLocked();
        if (_error is not null || _ended)
        {
            return true;
        }

        var isFresh = _chain.Tail is not { Room: >= MinimumRoom };
        if (_failure is not null || (isFresh && !TryAppend()))
        {
            return false;
        }

        var segment = _chain.Tail!;
        var result = ReceiveTo(segment, out var isCut);
        if (result.Value > 0)
        {
            Accept(segment, (int)result.Value, isFresh, isCut);
            return true;
        }

        if (segment.Filled == 0 && (!result.IsAgain || _connection.Shard.Options.WaitForDataBeforeAllocatingBuffer))
        {
            _chain.RemoveTail();
        }

        if (result.IsAgain)
        {
            _isReadable = false;
            return false;
        }

        End(result);
        return _ended;
    }

    private SysResult ReceiveTo(TransportSegment segment, out bool isCut)
    {
        isCut = false;
        return _connection.IsUnix
            ? _socket.ReceiveMessage(segment.FreeStart, segment.Room, out isCut)
            : _socket.Receive(segment.FreeStart, segment.Room);
    }

    // Receives all available bytes, up to the limit.
    private void ReceiveAhead()
    {
        while (!IsOver && UnreadBytes < _readAheadLimit && Receive())
        {
        }
    }

    // Out of memory fails this connection, through its reader: the read must not wait without an event to complete it, and the
    // exception must not end the process on a worker.
    private bool TryAppend()
    {
        try
        {
            _chain.Append(_sizer.Size);
            return true;
        }
        catch (Exception exception)
        {
            FailLater(exception);
            return false;
        }
    }

    private void Accept(TransportSegment segment, int count, bool isFresh, bool isCut)
    {
        segment.Fill(count);
        _bytesLeft -= count;
        var isFull = segment.Room == 0;
        segment.Publish();
        LastBlockAddress = (nint)segment.Start;
        if (_isPaused)
        {
            _isPaused = false;
            _connection.Shard.ConnectionLog.Resumed(_connection);
        }

        _examinedAll = false;

        // A short receive means that the socket is drained (epoll(7)), which saves the call that would return EAGAIN: 59 instead
        // of 84 microseconds for an echo of 64 KiB. Not so once the client has closed or sent urgent data, or where a Unix socket
        // ends a receive early.
        _isReadable = isFull || isCut || _drainFully;
        if (isFresh)
        {
            _sizer.Note(count, wasFull: isFull);
        }

        _connection.OnReceived(count);
    }
}
