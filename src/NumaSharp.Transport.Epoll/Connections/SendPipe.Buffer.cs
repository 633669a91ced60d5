using NumaSharp.Sockets;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>
/// The bytes being written (by the application, without the lock), committed by a flush, and sent (by the holder of the lock). A
/// send never releases the block being written.
/// </content>
internal sealed unsafe partial class SendPipe
{
    // IOV_MAX is 1024; 64 blocks of 128 KiB are more than any socket buffer takes at once.
    private const int MaxPieces = 64;

    // Staggers the start of larger blocks: on AMD Zen 3 and 4 a copy to a target 1 to 31 bytes ahead of its source, modulo 4096,
    // takes 20 times as long (rep movsb). At a fixed start, a body of constant size would always hit that, or never.
    private const int StaggerStep = 64;
    private const int Staggers = 16;
    private const int StaggeredCapacity = 16 << 10;

    // A client that takes this much between two sweeps keeps its large blocks.
    private const int Flow = 32 << 10;

    private byte _stagger;

    private SegmentChain _chain;
    private BlockSizer _sizer;
    private TransportSegment? _writing;
    private TransportSegment? _committed;
    private int _committedIndex;
    private long _unsent;
    private long _unflushed;
    private bool _isBlocked;
    private bool _isEnded;
    private int _sentLately;

    public override Memory<byte> GetMemory(int sizeHint = 0) => WritableSegment(sizeHint).FreeMemory;

    public override Span<byte> GetSpan(int sizeHint = 0) => WritableSegment(sizeHint).FreeSpan;

    public override void Advance(int bytes)
    {
        if (bytes == 0)
        {
            return;
        }

        if (_writing is not { } segment || (uint)bytes > (uint)segment.Room)
        {
            throw new ArgumentOutOfRangeException(
                nameof(bytes), bytes, $"must be from 0 to the {_writing?.Room ?? 0} bytes that GetMemory or GetSpan gave.");
        }

        segment.Fill(bytes);
        _unflushed += bytes;
    }

    private TransportSegment WritableSegment(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        var needed = Math.Max(sizeHint, 1);
        return _writing is { } segment && segment.Room >= needed ? segment : NextWritableSegment(needed);
    }

    private TransportSegment NextWritableSegment(int needed)
    {
        lock (_lock)
        {
            ThrowIfCompleted();
            if (_writing is null && _chain.Tail is { } tail && tail.Room >= needed)
            {
                return _writing = tail;
            }

            if (_writing is { } full && _unflushed > 0)
            {
                _sizer.Note(full.Capacity, wasFull: true);
            }

            return _writing = Stagger(_chain.Append(Math.Max(needed, _sizer.Size)), needed);
        }
    }

    private TransportSegment Stagger(TransportSegment segment, int needed)
    {
        _stagger = (byte)((_stagger + 1) % Staggers);
        var offset = _stagger * StaggerStep;
        if (segment.Capacity >= StaggeredCapacity && segment.Capacity - offset >= needed)
        {
            segment.Skip(offset);
        }

        return segment;
    }

    // Called with the lock held.
    private void Commit()
    {
        AssertLocked();
        var last = _writing;
        _writing = null;
        if (_isPeerGone)
        {
            // Nothing more is sent, and by flushing the application has given up its blocks.
            _unsent = _unflushed = 0;
        }

        if (_unflushed == 0)
        {
            ReleaseSent();
            return;
        }

        _sizer.Note((int)Math.Min(_unflushed, int.MaxValue), wasFull: _unflushed > _sizer.Size);
        _committed = last;
        _committedIndex = last!.Filled;
        _unsent += _unflushed;
        _unflushed = 0;
    }

    // Called with the lock held. Sends until nothing is left or the socket's buffer is full.
    private void Send()
    {
        AssertLocked();
        Span<IoVector> pieces = stackalloc IoVector[MaxPieces];
        while (_unsent > 0 && !_isPeerGone && !_isBlocked)
        {
            if (_socket.IsClosed)
            {
                DropUnsent();
                return;
            }

            var count = Gather(pieces, out var wanted);
            var result = _socket.Send(pieces[..count], endFollows: _completed && wanted == _unsent && _connection.JoinsEnd);
            if (!result.Succeeded && !result.IsAgain)
            {
                _connection.OnSendFailed(result);
                DropUnsent();
                return;
            }

            if (result.Succeeded)
            {
                _connection.OnSent((int)result.Value);
                Consume((int)result.Value);
            }

            if (result.Value < wanted)
            {
                Block();
            }
        }

        if (_unsent == 0)
        {
            // The kernel may be holding the last bytes back for the FIN.
            EndDirection();
            ReleaseSent();
            _drained?.TrySetResult();
        }
    }

    // A short send, or none, means that the buffer is full: EPOLLOUT follows when there is room. Called with the lock held.
    private void Block()
    {
        AssertLocked();
        _isBlocked = true;
        _connection.WatchForRoom(waits: true);
        if (IsWasteful && !_connection.IsNoted)
        {
            _sentLately = 0;
            _connection.NoteLargeBlock();
        }
    }

    /// <summary>
    /// Moves the bytes a client does not take into small blocks, if they wait in large ones and the application writes nothing.
    /// </summary>
    /// <returns>The number of bytes moved.</returns>
    public long MoveToSmallBlocks()
    {
        lock (_lock)
        {
            if (!_isBlocked || _unsent == 0 || _writing is not null || _unflushed > 0 || !IsWasteful)
            {
                return 0;
            }

            if (_sentLately >= Flow)
            {
                _sentLately = 0;
                _connection.NoteLargeBlock();
                return 0;
            }

            if (!_chain.TryMoveToSmallBlocks(0, out var moved))
            {
                return 0;
            }

            _committed = _chain.Tail!;
            _committedIndex = _committed.Filled;
            _sizer = new BlockSizer(long.MaxValue);
            return moved;
        }
    }

    private bool IsWasteful => _chain.Head is { } head && head.Sent + _chain.Tail!.Room >= LargeBlockSweep.LeastWaste;

    // Tells the client that nothing more follows. Called with the lock held.
    private void EndDirection()
    {
        AssertLocked();
        if (_completed && !_isEnded && !_isPeerGone && !_socket.IsClosed)
        {
            End("The application has ended the connection's output.");
            _connection.OnOutputEnded();
        }
    }

    /// <summary>Ends the stream to the client (FIN), unless that has been done. Called with the lock held.</summary>
    /// <param name="reason">For the log.</param>
    public void End(string reason)
    {
        AssertLocked();
        if (!_isEnded)
        {
            _isEnded = true;

            // May fail because the client has gone.
            _ = _socket.ShutdownSend();
            _connection.Shard.ConnectionLog.EndsInOrder(_connection, reason);
        }
    }

    private int Gather(Span<IoVector> pieces, out long wanted)
    {
        var count = 0;
        wanted = 0;
        for (var segment = _chain.Head!; count < pieces.Length; segment = segment.NextSegment!)
        {
            var end = ReferenceEquals(segment, _committed) ? _committedIndex : segment.Filled;
            if (end > segment.Sent)
            {
                pieces[count].Base = segment.Start + segment.Sent;
                pieces[count].Length = (nuint)(end - segment.Sent);
                wanted += end - segment.Sent;
                count++;
            }

            if (ReferenceEquals(segment, _committed))
            {
                break;
            }
        }

        return count;
    }

    private void Consume(int sent)
    {
        AssertLocked();
        _unsent -= sent;
        _sentLately += sent;
        while (sent > 0)
        {
            var head = _chain.Head!;
            var isLast = ReferenceEquals(head, _committed);
            var taken = Math.Min((isLast ? _committedIndex : head.Filled) - head.Sent, sent);
            head.Sent += taken;
            sent -= taken;
            if (!isLast && head.Sent == head.Filled)
            {
                _chain.RemoveHead();
            }
        }
    }

    // All committed bytes are sent. The application may be writing behind them, in the last block or a new one.
    private void ReleaseSent()
    {
        AssertLocked();
        if (_writing is null && _unsent == 0 && _unflushed == 0)
        {
            _committed = null;
            _chain.Clear();
        }
    }

    // Called with the lock held. The blocks stay until the next flush: the application may be writing.
    private void DropUnsent()
    {
        AssertLocked();
        _isPeerGone = true;
        _unsent = 0;
        _drained?.TrySetResult();
    }
}
