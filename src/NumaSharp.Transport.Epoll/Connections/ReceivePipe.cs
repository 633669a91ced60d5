using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The bytes a client sends, as a PipeReader directly on the socket: bytes are received only when the application reads, or when
/// the client has ended, so an idle connection holds no block. One reader at a time; any thread may cancel, abort or complete.
/// </summary>
internal sealed partial class ReceivePipe : PipeReader, IValueTaskSource<ReadResult>, IThreadPoolWorkItem
{
    // As much as Kestrel's sockets would have read ahead.
    private const int MaxDiscarded = 1 << 20;

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

    // Why the socket is not received from any more. Reads wait, and throw it once ConnectionClosed has been signalled.
    private Exception? _failure;

    private bool _cancelRequested;

    public ReceivePipe(EpollConnection connection, StreamSocket socket)
    {
        _connection = connection;
        _socket = socket;
        _chain = new SegmentChain(connection.Shard.Pool);
        _readAheadLimit = connection.Shard.Options.MaxReadBufferSize ?? long.MaxValue;
        _sizer = new BlockSizer(_readAheadLimit);
    }

    /// <summary>Keeps the socket from being closed during a receive.</summary>
    public Lock SyncRoot => _lock;

    /// <summary>Whether a read is pending, and will itself see that the client has gone.</summary>
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
            // More bytes are available; the loop's other connections get their turn first.
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

    /// <summary>On the loop: records the kernel's event.</summary>
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

    /// <summary>On the loop: the socket became readable; logged if no read is pending.</summary>
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

    /// <summary>On the loop: the socket became readable, or a posted read is to continue.</summary>
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
    /// On a worker: receives the announced bytes, or those delivered with a cancellation, and runs the application with them.
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
                // A token that fired while the read was dispatched will not fire again.
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

    /// <summary>Returns the blocks. The application must no longer use them. Called with the lock held.</summary>
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

    // A read begun away from home is received and delivered only once its continuation is registered: delivered earlier, the
    // reader would find it completed and continue where it is, off the node.
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
            throw new InvalidOperationException("Concurrent reads are not supported: the previous ReadAsync has not completed.");
        }
    }

    private bool TryTakeResult(out ReadResult result)
    {
        AssertLocked();
        var canceled = TryTakeCancellation();
        if (_error is not null && !canceled)
        {
            // As with a Pipe after its writer failed: unread bytes are lost with the connection.
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

    // The lock, not the loop, separates the callbacks of two threads after a hand-over.
    [Conditional("DEBUG")]
    private void AssertLocked() =>
        Debug.Assert(_lock.IsHeldByCurrentThread, "The receive pipe's state is guarded by its lock.");

    // At home: receives at once if bytes are available and the turn lasts; otherwise after a post. Elsewhere the read waits for
    // its continuation, so that the connection returns home.
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

    // A thread that cancels or aborts must not run the application's continuation.
    private void DeliverElsewhere() =>
        ThreadPool.UnsafeQueueUserWorkItem(static pipe => pipe.Deliver(), this, preferLocal: false);

    private void Deliver() => _wait.Deliver(_resultIsCanceled ? null : _error);

    // How reading ends: by the client, an error or the application.

    /// <summary>
    /// Whether no more bytes will be received. Read without the lock: a stale answer costs a needless abort.
    /// </summary>
    public bool IsOver => Volatile.Read(ref _completed) || Volatile.Read(ref _ended)
        || Volatile.Read(ref _failure) is not null || Volatile.Read(ref _error) is not null;

    /// <summary>
    /// Ends all reading with an error. Memory that was handed out stays readable, and a received end of stream stays one.
    /// </summary>
    public void Abort(Exception? error)
    {
        lock (_lock)
        {
            Fail(error);
        }

        EndWaiting();
    }

    /// <summary>On the loop, if no read is pending: the socket has failed, and the next read throws the error.</summary>
    public void OnFailed()
    {
        lock (_lock)
        {
            if (_state == ReadState.Idle
                && !_completed
                && !_socket.IsClosed
                && _socket.TakeError() is { Succeeded: false } failure)
            {
                FailLater(ToException("the connection", failure));
            }
        }
    }

    // Completes a pending read with the error that was set.
    private void EndWaiting()
    {
        lock (_lock)
        {
            if (_state != ReadState.Waiting)
            {
                return;
            }

            _state = ReadState.Idle;
        }

        DeliverElsewhere();
    }

    /// <summary>
    /// The socket is about to be closed: no more calls on it; <see cref="Abort"/> follows. Called with the lock held.
    /// </summary>
    public void MarkClosed(Exception? reason)
    {
        AssertLocked();
        if (!_ended)
        {
            _failure ??= reason ?? Closed();
        }
    }

    /// <summary>
    /// The client has ended its direction, and a read may not be pending. The bytes before the end are received, up to the limit,
    /// before the end is reported: the application may respond by aborting, and a reader must still get what was sent and see how
    /// the client ended.
    /// </summary>
    /// <returns>Whether no read is pending and the end is known.</returns>
    public bool NoteEndUnlessWaiting()
    {
        lock (_lock)
        {
            if (_state != ReadState.Idle)
            {
                return false;
            }

            ReceiveAhead();
            return IsOver;
        }
    }

    /// <summary>
    /// After the FIN, before the socket is closed: discards the client's unread bytes, up to a bound, because closing with unread
    /// bytes sends a reset that can destroy the last response in flight (tcp(7)). Called with the lock held.
    /// </summary>
    public void DiscardUnread()
    {
        AssertLocked();
        if (!_ended)
        {
            _socket.Discard(MaxDiscarded, isTcp: !_connection.IsUnix);
        }
    }

    private void End(SysResult result)
    {
        if (!result.Succeeded)
        {
            FailLater(ToException("recv", result));
        }
        else if (_connection.SendError is { } error)
        {
            FailLater(error);
        }
        else
        {
            _ended = true;
            _connection.Shard.ConnectionLog.Ended(_connection);
            _connection.OnPeerGone();
        }
    }

    // The reader gets it after ConnectionClosed: Kestrel takes an earlier error for the application's own.
    private void FailLater(Exception failure)
    {
        AssertLocked();
        if (_failure is null)
        {
            _failure = failure;
            _isReadable = false;
            _connection.OnFailed(failure);
        }
    }

    private void Fail(Exception? error)
    {
        AssertLocked();
        if (!_ended)
        {
            // Neither is set while another thread, which ends the connection in order, has not come to MarkClosed yet.
            _error ??= _failure ?? error ?? Closed();
        }
    }

    private static ConnectionAbortedException Closed() => new("The connection was closed.");

    public static Exception ToException(string call, SysResult result)
    {
        var cause = new IOException($"{call} failed: {result.ErrorName}.");
        return result.Errno is Errno.ECONNRESET or Errno.EPIPE
            ? new ConnectionResetException("The client reset the connection.", cause)
            : cause;
    }

    // Cancelled reads. A Pipe that reads ahead returns its buffered bytes with the cancellation. Here those bytes are still in
    // the kernel's buffer, so they are received first: otherwise cancelling the read of an idle connection to end it, as Kestrel
    // does on shutdown, would discard a request.

    public override void CancelPendingRead()
    {
        lock (_lock)
        {
            _cancelRequested = true;
            if (_state != ReadState.Waiting)
            {
                // The next read, or the work item already queued, takes it.
                return;
            }

            _state = ReadState.Dispatched;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    private bool TryTakeCancellation()
    {
        AssertLocked();
        if (!_cancelRequested)
        {
            return false;
        }

        _cancelRequested = false;
        ReceiveAhead();
        return true;
    }

    // Available bytes wait for the next read, as with a Pipe.
    private void OnTokenCanceled()
    {
        lock (_lock)
        {
            if (_state != ReadState.Waiting || !_wait.TryNoteToken())
            {
                return;
            }

            _state = ReadState.Idle;
        }

        DeliverElsewhere();
    }

    private enum ReadState
    {
        /// <summary>The application is not waiting.</summary>
        Idle,

        /// <summary>The application waits for bytes.</summary>
        Waiting,

        /// <summary>There are bytes, or a cancellation, and a queued work item will receive and deliver.</summary>
        Dispatched,
    }
}
