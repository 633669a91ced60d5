using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// What a client sends, as a PipeReader straight on the socket: bytes are received only when the application waits for them,
/// so nothing is read ahead and an idle connection holds no block. One reader at a time; cancelling, aborting and completing
/// may come from any thread.
/// </summary>
internal sealed unsafe partial class ReceivePipe : PipeReader, IValueTaskSource<ReadResult>, IThreadPoolWorkItem
{
    private readonly EpollConnection _connection;
    private readonly StreamSocket _socket;
    private readonly Lock _lock = new();
    private PipeWait _wait;
    private ReadState _state;
    private Exception? _error;
    private bool _ended;
    private bool _completed;
    private bool _resultIsCanceled;
    private bool _awaitsContinuation;

    public ReceivePipe(EpollConnection connection, StreamSocket socket)
    {
        _connection = connection;
        _socket = socket;
        _chain = new SegmentChain(connection.Shard.Pool);
        _readAheadLimit = connection.Shard.Options.MaxReadBufferSize ?? long.MaxValue;
        _sizer = new BlockSizer(_readAheadLimit);
    }

    private enum ReadState
    {
        /// <summary>The application is not waiting.</summary>
        Idle,

        /// <summary>The application waits for bytes.</summary>
        Waiting,

        /// <summary>There are bytes, or it was cancelled, and a work item is on its way to receive and deliver.</summary>
        Dispatched,
    }

    /// <summary>Guards the socket against being closed while it is received from.</summary>
    public Lock SyncRoot => _lock;

    /// <summary>Whether the application waits for bytes, and so learns by itself that the client has gone.</summary>
    public bool IsWaiting
    {
        get
        {
            lock (_lock)
            {
                return _state != ReadState.Idle;
            }
        }
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        short version;
        bool post;
        lock (_lock)
        {
            ThrowIfNotReadable();
            if (TryTakeResult(out var result))
            {
                return new ValueTask<ReadResult>(result);
            }

            if (TryReceiveHere(out post) && TryTakeResult(out result))
            {
                return new ValueTask<ReadResult>(result);
            }

            version = Wait(cancellationToken);
        }

        if (post)
        {
            // More is there, and the others of the loop have their turn first.
            _connection.PostToLoop();
        }

        return new ValueTask<ReadResult>(this, version);
    }

    public override bool TryRead(out ReadResult result)
    {
        lock (_lock)
        {
            ThrowIfNotReadable();
            return TryTakeResult(out result) || (TryReceiveHere(out _) && TryTakeResult(out result));
        }
    }

    public override void Complete(Exception? exception = null)
    {
        lock (_lock)
        {
            if (_completed)
            {
                return;
            }

            _completed = true;
            _isReading = false;
            if (_state == ReadState.Idle)
            {
                _chain.Clear();
            }
        }
    }

    /// <summary>On the loop: notes what the kernel said.</summary>
    /// <param name="isEvent">Whether the socket became readable.</param>
    /// <param name="drainFully">
    /// Whether a short receive does not mean that nothing is left: the client has closed its direction, or sent urgent data.
    /// </param>
    public void NoteReadable(bool isEvent, bool drainFully)
    {
        if (isEvent)
        {
            lock (_lock)
            {
                _isReadable = true;
                _drainFully |= drainFully;
            }
        }
    }

    /// <summary>On the loop: the socket became readable, which is logged when nobody waits for it.</summary>
    public void LogPause()
    {
        lock (_lock)
        {
            if (_state == ReadState.Idle && !_isPaused && !IsOver)
            {
                _isPaused = true;
                _connection.Shard.ConnectionLog.Paused(_connection);
            }
        }
    }

    /// <summary>On the loop: the socket became readable, or a posted read wants to go on.</summary>
    public void OnReadable()
    {
        var dispatcher = _connection.Dispatcher;
        lock (_lock)
        {
            if (_state != ReadState.Waiting || !_isReadable || _awaitsContinuation)
            {
                return;
            }

            if (!dispatcher.IsInline)
            {
                _state = ReadState.Dispatched;
            }
            else if (Receive())
            {
                _state = ReadState.Idle;
            }
            else
            {
                return;
            }
        }

        if (dispatcher.IsInline)
        {
            Deliver();
        }
        else
        {
            dispatcher.Queue(this);
        }
    }

    /// <summary>
    /// On a worker: receives what the loop has announced, or what comes with a cancellation, and runs the application with it.
    /// </summary>
    void IThreadPoolWorkItem.Execute()
    {
        lock (_lock)
        {
            Debug.Assert(_state == ReadState.Dispatched, "Only a dispatched read is executed.");
            BeginTurn();
            if (TryTakeCancellation())
            {
                _resultIsCanceled = true;
            }
            else if (!Receive())
            {
                // A token that fired while the read was dispatched fires only once.
                if (!_wait.TryNoteToken())
                {
                    _state = ReadState.Waiting;
                    return;
                }
            }

            _state = ReadState.Idle;
        }

        _connection.RunCorked(this, static pipe => pipe.Deliver());
        _connection.OnDelivered();
    }

    /// <summary>Returns the blocks. The application must be done with them. Called with the lock held.</summary>
    public void ReleaseBlocks()
    {
        AssertLocked();
        _chain.Clear();
    }

    ReadResult IValueTaskSource<ReadResult>.GetResult(short token)
    {
        _wait.GetResult(token);
        lock (_lock)
        {
            var canceled = _resultIsCanceled;
            _resultIsCanceled = false;
            return MakeResult(canceled);
        }
    }

    ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) => _wait.GetStatus(token);

    void IValueTaskSource<ReadResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnContinuation(continuation, state, token, flags);

    // A read that was begun away from home is received and delivered only when its continuation is there: delivered earlier,
    // the reader would find it completed and go on where it is, off the node.
    private void OnContinuation(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        _wait.OnCompleted(_connection, continuation, state, token, flags);
        if (!Volatile.Read(ref _awaitsContinuation))
        {
            return;
        }

        bool post;
        lock (_lock)
        {
            _awaitsContinuation = false;
            post = _state == ReadState.Waiting && _isReadable;
        }

        if (post)
        {
            _connection.PostToLoop();
        }
    }

    private void ThrowIfNotReadable()
    {
        if (_completed)
        {
            throw new InvalidOperationException("Reading is not allowed after the reader was completed.");
        }

        if (_state != ReadState.Idle)
        {
            throw new InvalidOperationException("Concurrent reads are not supported: the previous ReadAsync has not ended.");
        }
    }

    private bool TryTakeResult(out ReadResult result)
    {
        AssertLocked();
        var canceled = TryTakeCancellation();
        if (_error is not null && !canceled)
        {
            // As with a Pipe whose writer failed: bytes that nobody has taken are lost with the connection.
            throw _error;
        }

        if (canceled || (HasBytes && !_examinedAll && _failure is null))
        {
            result = MakeResult(canceled);
            return true;
        }

        result = _ended ? MakeResult(isCanceled: false) : default;
        return _ended;
    }

    // What the callbacks of two threads may meet in after a hand-over: the lock, never the loop, keeps them apart.
    [Conditional("DEBUG")]
    private void AssertLocked() =>
        Debug.Assert(_lock.IsHeldByCurrentThread, "The receive pipe's state is guarded by its lock.");

    // At home receive at once, the bytes are there; while the turn lasts, then by a post. Elsewhere the read waits for its
    // continuation, so that the connection comes (back) home.
    private bool TryReceiveHere(out bool post)
    {
        AssertLocked();
        post = false;
        if (!_isReadable)
        {
            return false;
        }

        if (!_connection.IsAtHome)
        {
            return false;
        }

        if (TryUseTurn())
        {
            return Receive();
        }

        post = true;
        return false;
    }

    private short Wait(CancellationToken cancellationToken)
    {
        AssertLocked();
        _resultIsCanceled = false;
        _state = ReadState.Waiting;
        _awaitsContinuation = !_connection.IsAtHome;
        if (IsWasteful)
        {
            _connection.NoteLargeBlock();
        }

        return _wait.Begin(this, static pipe => ((ReceivePipe)pipe!).OnTokenCanceled(), cancellationToken);
    }

    // Whoever cancels or aborts must not run the application's continuation.
    private void DeliverElsewhere() =>
        ThreadPool.UnsafeQueueUserWorkItem(static pipe => pipe.Deliver(), this, preferLocal: false);

    private void Deliver() => _wait.Deliver(_resultIsCanceled ? null : _error);
}
