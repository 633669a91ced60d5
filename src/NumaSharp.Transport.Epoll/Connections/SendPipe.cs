using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The bytes a client is sent, as a PipeWriter directly on the socket: the application writes into blocks of the node's pool, and
/// a flush is one gathering send. One writer at a time; any thread may cancel or abort, and the loop may send.
/// </summary>
internal sealed partial class SendPipe : PipeWriter, IValueTaskSource<FlushResult>, IThreadPoolWorkItem
{
    // With this many bytes waiting, a send is not worth delaying.
    private const int MaxCorked = 64 << 10;

    // Larger ones would leave the core's caches before they are sent.
    internal const int MaxPosted = 16 << 10;

    private const int NoThread = 0;

    private readonly EpollConnection _connection;
    private readonly StreamSocket _socket;
    private readonly Lock _lock = new();
    private readonly long _pauseThreshold;
    private readonly long _resumeThreshold;
    private PipeWait _wait;
    private TaskCompletionSource? _drained;
    private bool _flushIsWaiting;
    private bool _completed;
    private bool _isPeerGone;
    private bool _cancelRequested;
    private bool _resultIsCanceled;

    private int _corkThread;
    private FlushBurst _burst;
    private bool _sendIsQueued;
    private volatile bool _isDeferred;
    private volatile bool _sendIsPosted;

    public SendPipe(EpollConnection connection, StreamSocket socket)
    {
        _connection = connection;
        _socket = socket;
        _chain = new SegmentChain(connection.Shard.Pool);
        _pauseThreshold = connection.Shard.Options.MaxWriteBufferSize ?? long.MaxValue;
        _sizer = new BlockSizer(long.MaxValue);
        _resumeThreshold = _pauseThreshold / 2;
    }

    /// <summary>Keeps the socket from being closed during a send.</summary>
    public Lock SyncRoot => _lock;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _unflushed;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        lock (_lock)
        {
            ThrowIfCompleted();
            Commit();
            if (!_isPeerGone && _unsent > 0 && !_isBlocked && !TryDefer())
            {
                Send();
            }

            var canceled = _cancelRequested;
            _cancelRequested = false;
            if (canceled || _isPeerGone || _unsent < _pauseThreshold)
            {
                return new ValueTask<FlushResult>(new FlushResult(canceled, _isPeerGone));
            }

            return new ValueTask<FlushResult>(this, Wait(cancellationToken));
        }
    }

    public override void CancelPendingFlush()
    {
        lock (_lock)
        {
            if (!_flushIsWaiting)
            {
                _cancelRequested = true;
                return;
            }

            _flushIsWaiting = false;
            _resultIsCanceled = true;
        }

        DeliverElsewhere();
    }

    public override void Complete(Exception? exception = null)
    {
        if (exception is not null)
        {
            // If the writer failed, its output must not look like a complete message.
            _connection.Abort(exception);
        }

        lock (_lock)
        {
            if (_completed)
            {
                return;
            }

            Commit();
            _completed = true;
            if (!_isBlocked)
            {
                Send();
            }
        }
    }

    /// <summary>Waits until all bytes are handed to the kernel, or the client is gone.</summary>
    public Task DrainAsync()
    {
        lock (_lock)
        {
            if (_unsent == 0 || _isPeerGone)
            {
                return Task.CompletedTask;
            }

            _drained = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _drained.Task;
        }
    }

    /// <summary>On the loop: the socket has room again.</summary>
    public void OnWritable()
    {
        bool resume;
        lock (_lock)
        {
            if (!_isBlocked)
            {
                return;
            }

            _isBlocked = false;
            Send();
            if (!_isBlocked)
            {
                _connection.WatchForRoom(waits: false);
            }

            resume = TryEndWaiting();
        }

        if (!resume)
        {
            return;
        }

        var dispatcher = _connection.Dispatcher;
        if (dispatcher.IsInline)
        {
            Deliver();
        }
        else
        {
            dispatcher.Queue(new FlushDelivery(this));
        }
    }

    /// <summary>Whether the application has written bytes that the kernel does not have.</summary>
    public bool HasUnsent
    {
        get
        {
            lock (_lock)
            {
                return _unsent > 0 || _unflushed > 0;
            }
        }
    }

    /// <summary>Ends all sending; unsent bytes are dropped.</summary>
    public void Abort()
    {
        lock (_lock)
        {
            DropUnsent();
            if (!_flushIsWaiting)
            {
                return;
            }

            _flushIsWaiting = false;
        }

        DeliverElsewhere();
    }

    /// <summary>Returns the blocks. The application must no longer use them. Called with the lock held.</summary>
    public void ReleaseBlocks()
    {
        AssertLocked();
        _writing = null;
        _chain.Clear();
    }

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token)
    {
        _wait.GetResult(token);
        var canceled = _resultIsCanceled;
        _resultIsCanceled = false;
        return new FlushResult(canceled, _isPeerGone);
    }

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _wait.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wait.OnCompleted(_connection, continuation, state, token, flags);

    [Conditional("DEBUG")]
    private void AssertLocked() =>
        Debug.Assert(_lock.IsHeldByCurrentThread, "The send pipe's state is guarded by its lock.");

    // Called with the lock held. True: the pending flush ends now, and the caller delivers it.
    private bool TryEndWaiting()
    {
        AssertLocked();
        var ends = _flushIsWaiting && (_isPeerGone || _unsent <= _resumeThreshold);
        _flushIsWaiting &= !ends;
        return ends;
    }

    private void ThrowIfCompleted()
    {
        if (_completed)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }
    }

    private short Wait(CancellationToken cancellationToken)
    {
        AssertLocked();
        _resultIsCanceled = false;
        _flushIsWaiting = true;
        return _wait.Begin(this, static pipe => ((SendPipe)pipe!).OnTokenCanceled(), cancellationToken);
    }

    private void OnTokenCanceled()
    {
        lock (_lock)
        {
            if (!_flushIsWaiting || !_wait.TryNoteToken())
            {
                return;
            }

            _flushIsWaiting = false;
        }

        DeliverElsewhere();
    }

    // A thread that cancels or aborts must not run the application's continuation.
    private void DeliverElsewhere() =>
        ThreadPool.UnsafeQueueUserWorkItem(static pipe => pipe.Deliver(), this, preferLocal: false);

    private void Deliver() => _wait.Deliver(error: null);

    // When a flush is sent. Inside the connection's own callback it waits for the end of the callback, so that a pipelined batch
    // is one send (2.3 instead of 11.1 microseconds). The cork belongs to connection and thread: a thread that has lost the loop
    // sends directly, and the bytes it held back go out with the hand-over. If the loop has more events, small sends wait for
    // those and then follow each other (docs/decisions/0027-sends-in-a-row.md); a post sends them, on whichever thread holds the
    // loop by then.

    /// <summary>Whether flushes come in bursts. A hint, read without the lock.</summary>
    public bool ExpectsBursts => _burst.IsExpected;

    /// <summary>Whether flushes have come one by one for a long time. A hint, read without the lock.</summary>
    public bool HasForgottenBursts => _burst.IsForgotten;

    /// <summary>The calling thread begins a callback of this connection.</summary>
    public void EnterCork() => Volatile.Write(ref _corkThread, Environment.CurrentManagedThreadId);

    /// <summary>The calling thread has finished its callback.</summary>
    public void LeaveCork()
    {
        if (_corkThread == Environment.CurrentManagedThreadId)
        {
            Volatile.Write(ref _corkThread, NoThread);
        }

        if (!_isDeferred)
        {
            return;
        }

        // Only in Adaptive mode, where a blocking handler loses the loop and its posts with it: elsewhere the delay has no bound.
        if (_unsent <= MaxPosted
            && _connection.Shard.Options.Dispatch == EpollDispatchMode.Adaptive
            && _connection.Shard.Loop.HasMoreEvents)
        {
            _isDeferred = false;
            _sendIsPosted = true;
            _connection.PostToLoop();
        }
        else
        {
            SendDeferred();
        }
    }

    /// <summary>In a posted callback: sends the bytes that waited for it.</summary>
    public void SendPosted()
    {
        if (_sendIsPosted)
        {
            SendDeferred();
        }
    }

    /// <summary>Takes the cork from a thread that is late in its callback, and sends the bytes it held back.</summary>
    public void BreakCork()
    {
        // Under the lock: a flush either saw the cork and is sent here, or sees none and sends directly.
        lock (_lock)
        {
            _corkThread = NoThread;
        }

        SendDeferred();
    }

    /// <summary>Bytes came from the client: a response that follows does not belong to a burst.</summary>
    public void OnReceived() => _burst.OnReceived();

    void IThreadPoolWorkItem.Execute() => SendDeferred();

    private void SendDeferred()
    {
        bool resume;
        lock (_lock)
        {
            _isDeferred = false;
            _sendIsQueued = false;
            _sendIsPosted = false;
            if (!_isBlocked)
            {
                Send();
            }

            resume = TryEndWaiting();
        }

        if (resume)
        {
            DeliverElsewhere();
        }
    }

    // Called with the lock held. True: a send that is already due will carry the bytes.
    private bool TryDefer()
    {
        AssertLocked();
        // A flush that has to wait must have filled the socket's buffer: only then does an event end the wait.
        if (_unsent >= Math.Min(MaxCorked, _pauseThreshold))
        {
            return false;
        }

        if (_corkThread == Environment.CurrentManagedThreadId && _connection.MayCork)
        {
            _isDeferred = true;
            return true;
        }

        _burst.OnFlush();
        if (_sendIsQueued || _sendIsPosted)
        {
            return true;
        }

        if (!_burst.IsExpected)
        {
            return false;
        }

        // The work item also sends all flushes until it runs.
        _sendIsQueued = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return true;
    }

    /// <summary>Delivers the end of back-pressure off the loop. Rare enough for a separate object.</summary>
    private sealed class FlushDelivery(SendPipe pipe) : IThreadPoolWorkItem
    {
        public void Execute() => pipe._connection.RunCorked(pipe, static flushed => flushed.Deliver());
    }
}
