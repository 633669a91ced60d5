using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The bytes a client sends, as a PipeReader directly on the socket: bytes are received only when the application reads, or when
/// the client has ended, so an idle connection holds no block. One reader at a time; any thread may cancel, abort or complete.
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

        /// <summary>There are bytes, or a cancellation, and a queued work item will receive and deliver.</summary>
        Dispatched,
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

    // At home: receives at once if bytes are available and the turn lasts, else after a post. Elsewhere the read waits for its
    // continuation, so that the connection returns home.
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
}
