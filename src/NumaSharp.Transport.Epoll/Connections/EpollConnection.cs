using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Dispatching;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// A connection, for Kestrel. Belongs to one shard: its loop and its node's pool. Lock order: receive pipe, send pipe, the loop's
/// registrations.
/// </summary>
internal sealed partial class EpollConnection : ConnectionContext, IDuplexPipe
{
    private static readonly TaskCompletionSource s_hasFired = CreateFired();
    private static long s_lastId;

    private readonly StreamSocket _socket;
    private readonly ReceivePipe _input;
    private readonly SendPipe _output;
    private readonly ConnectionEvents _events;
    private readonly CancellationTokenSource _closed = new();

    // Created on demand, to wait until the token's callbacks have run; an idle connection needs none.
    private TaskCompletionSource? _closedFired;
    private string? _connectionId;
    private Exception? _abortReason;
    private volatile Exception? _sendError;
    private int _isClosedFired;
    private int _isDisposed;
    private int _isCounted = 1;
    private bool _isNoted;

    private volatile CallbackDispatcher _dispatcher;
    private StallRecord? _stalls;

    public EpollConnection(LoopShard shard, StreamSocket socket, EndPoint local, EndPoint? remote)
    {
        Shard = shard;
        _dispatcher = shard.Dispatcher;
        _socket = socket;
        IsUnix = local is UnixDomainSocketEndPoint;
        LocalEndPoint = local;
        RemoteEndPoint = remote;
        _input = new ReceivePipe(this, socket);
        _output = new SendPipe(this, socket);
        _events = new ConnectionEvents(this, _input, _output);
        Transport = this;
        ConnectionClosed = _closed.Token;
    }

    public LoopShard Shard { get; }

    public StreamSocket Socket => _socket;

    public bool IsUnix { get; }

    /// <summary>Whether the last bytes may wait for the FIN, to be one packet with it.</summary>
    public bool JoinsEnd { get; init; } = true;

    /// <summary>The error of a failed send.</summary>
    public Exception? SendError => _sendError;

    /// <summary>Whether the connection is queued for the sweep.</summary>
    public bool IsNoted => Volatile.Read(ref _isNoted);

    PipeReader IDuplexPipe.Input => _input;

    PipeWriter IDuplexPipe.Output => _output;

    /// <summary>Starts watching the socket. On failure the connection is closed and the exception rethrown.</summary>
    public void Start()
    {
        Shard.Counters.OnOpened();
        Shard.ConnectionLog.FollowLevel();
        try
        {
            Shard.Loop.Register(_socket, _events, ConnectionEvents.Watched(IsUnix, waitsForRoom: false));
        }
        catch
        {
            Close();
            throw;
        }
    }

    /// <summary>A pipe waits for the client with a block much larger than its content. Called under the pipe's lock.</summary>
    public void NoteLargeBlock()
    {
        if (!IsNoted && !Interlocked.Exchange(ref _isNoted, true))
        {
            Shard.Sweep.Add(this);
        }
    }

    /// <summary>On the loop, for the sweep: moves bytes that still wait in large blocks.</summary>
    /// <returns>The number of bytes moved.</returns>
    public long MoveToSmallBlocks()
    {
        Volatile.Write(ref _isNoted, false);
        return _input.MoveToSmallBlocks() + _output.MoveToSmallBlocks();
    }

    public override void Abort() => Abort(new ConnectionAbortedException("The connection was aborted by the application."));

    public override void Abort(ConnectionAbortedException? abortReason) => Abort((Exception?)abortReason);

    /// <summary>
    /// Ends the connection at once, with a reset (RST) or as FinOnError says; unsent bytes are dropped. Without a reason it
    /// ends in order, as with Kestrel's sockets: Kestrel aborts HTTP/2 this way when the client has ended and no stream is open.
    /// </summary>
    public void Abort(Exception? reason)
    {
        if (Interlocked.CompareExchange(ref _abortReason, reason, null) is not null)
        {
            return;
        }

        Close();
        _output.Abort();
        FireClosed();
        _ = AbortReaderAsync(reason);
    }

    /// <summary>
    /// Ends a connection that outlives the transport: in order, so that the client gets what was sent, or with a reset if
    /// something was not.
    /// </summary>
    public void Abandon() => Abort(_output.HasUnsent ? new ConnectionAbortedException("The transport was disposed.") : null);

    public override async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        _input.Complete();
        _output.Complete();
        await _output.DrainAsync().ConfigureAwait(false);
        FireClosed();
        Close();
        ReleaseBlocks();
        _input.Abort(_abortReason);
        await WhenClosedFired().ConfigureAwait(false);
        _closed.Dispose();
    }

    public void PostToLoop() => Shard.Loop.Post(_events);

    /// <summary>Runs a callback of this connection off the loop; its flushes are sent when the callback ends.</summary>
    public void RunCorked<TState>(TState state, Action<TState> callback)
    {
        _output.EnterCork();
        try
        {
            callback(state);
        }
        finally
        {
            _output.LeaveCork();
        }
    }

    /// <summary>A worker has run the application with the received bytes.</summary>
    public void OnDelivered() => _events.ReportEnd();

    public void OnReceived(int bytes)
    {
        _output.OnReceived();
        Shard.Counters.OnReceived(bytes);
        if (Shard.CrossNode is { } nodes
            && Shard.Counters.IsSampled()
            && nodes.IsElsewhere(_socket.GetIncomingCpu(), Shard.Loop.NodeId) is { } isElsewhere)
        {
            Shard.Counters.OnSampled(isElsewhere);
        }
    }

    /// <summary>A send has failed: the client is gone.</summary>
    public void OnSendFailed(SysResult result)
    {
        // The kernel reports an error once; the next recv would look like an orderly end. EPIPE adds no information.
        var error = ReceivePipe.ToException("send", result);
        if (result.Errno != Errno.EPIPE)
        {
            _sendError = error;
        }

        OnPeerGone();
        if (result.Errno is Errno.EPIPE or Errno.ECONNRESET)
        {
            // Bytes that the client sent earlier can still be read.
            _ = _socket.ShutdownBoth();
            return;
        }

        Shard.ConnectionLog.Failed(this, error);

        // Out of memory, say: the client is alive and must not take a partial response as complete; nor may a reader wait.
        AbortElsewhere(error);
    }

    /// <summary>
    /// A send was short and waits for room, or no longer waits. Called with the send pipe's lock held. EPOLL_CTL_MOD reports a
    /// socket that is already writable, so room that the client made in between is not missed.
    /// </summary>
    public void WatchForRoom(bool waits)
    {
        if (!IsUnix)
        {
            return;
        }

        var result = Shard.Loop.TryModify(_socket, _events, ConnectionEvents.Watched(IsUnix, waits));
        if (waits && !result.Succeeded)
        {
            // No event would ever resume the send. If watching cannot be turned off, the only cost is spurious events.
            AbortElsewhere(ConnectionEvents.ToException(
                new NumaException("epoll_ctl(EPOLL_CTL_MOD)", NumaResults.From(result))));
        }
    }

    /// <summary>
    /// All output and its end are sent: the whole connection ends, as with Kestrel's sockets. Called with the send pipe's lock
    /// held, so the reader is notified on another thread, and only if it has not ended yet.
    /// </summary>
    public void OnOutputEnded()
    {
        OnPeerGone();
        if (!_input.IsOver)
        {
            _ = AbortReaderAsync(new ConnectionAbortedException("The application has ended the connection's output."));
        }
    }

    public void OnSent(int bytes) => Shard.Counters.OnSent(bytes);

    /// <summary>The connection is ending, from either side: notifies the application, never inline.</summary>
    public void OnPeerGone() => FireClosed();

    /// <summary>The socket has failed: notifies the application through ConnectionClosed first, then its reader.</summary>
    public void OnFailed(Exception failure)
    {
        Shard.ConnectionLog.Failed(this, failure);
        OnPeerGone();
        _ = AbortReaderAsync(failure);
    }

    // After the callbacks of ConnectionClosed, also when one of them aborts the connection: Kestrel's does, before it notes that
    // the client has gone. An error that the reader gets earlier would be logged as the application's own. Bounded: a callback
    // that itself waits for the reader would deadlock.
    private async Task AbortReaderAsync(Exception? failure)
    {
        await WhenClosedFired().WaitAsync(Shard.Options.CallbackLimit, Shard.Time, CancellationToken.None)
            .ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.SuppressThrowing);
        _input.Abort(failure);
    }

    // For callers that hold the send pipe's lock: aborting takes the receive pipe's lock first.
    private void AbortElsewhere(Exception reason) => ThreadPool.UnsafeQueueUserWorkItem(
        static it => it.Connection.Abort(it.Reason), (Connection: this, Reason: reason), preferLocal: false);

    private void FireClosed()
    {
        if (Interlocked.Exchange(ref _isClosedFired, 1) == 0)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static connection => connection.CancelClosedToken(), this, preferLocal: false);
        }
    }

    private void CancelClosedToken()
    {
        try
        {
            _closed.Cancel();
        }
        catch (AggregateException exception)
        {
            // A callback registered by the application threw; the connection must still end.
            Shard.Log.ClosedCallbackFailed(ConnectionId, exception);
        }
        finally
        {
            Interlocked.CompareExchange(ref _closedFired, s_hasFired, null)?.TrySetResult();
        }
    }

    private Task WhenClosedFired()
    {
        var waiting = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        return (Interlocked.CompareExchange(ref _closedFired, waiting, null) ?? waiting).Task;
    }

    private static TaskCompletionSource CreateFired()
    {
        var fired = new TaskCompletionSource();
        fired.SetResult();
        return fired;
    }

    // Closes under both locks: no thread is inside a call with the descriptor, and none can start one afterwards.
    private void Close()
    {
        if (Interlocked.Exchange(ref _isCounted, 0) == 0)
        {
            return;
        }

        Shard.Loop.Unregister(_events);
        lock (_input.SyncRoot)
        {
            lock (_output.SyncRoot)
            {
                _input.MarkClosed(_abortReason);

                if (_abortReason is not null && !Shard.Options.FinOnError)
                {
                    Shard.ConnectionLog.Resets(this, _abortReason.Message);

                    // May fail because the client has gone.
                    _ = _socket.SetResetOnClose();
                }
                else
                {
                    _output.End(_abortReason?.Message ?? "The application has ended the connection.");
                    _input.DiscardUnread();
                }

                _socket.Dispose();
            }
        }

        Shard.OnConnectionClosed();
    }

    private void ReleaseBlocks()
    {
        lock (_input.SyncRoot)
        {
            _input.ReleaseBlocks();
        }

        lock (_output.SyncRoot)
        {
            _output.ReleaseBlocks();
        }
    }

    // Where application code runs. A connection leaves the loop if its callbacks block it repeatedly, while so many callbacks
    // block that the loop could run out of threads, and if it responds in bursts: HTTP/2 streams run on the thread pool anyway,
    // and each hop between the loop's thread and the pool costs both.

    /// <summary>Decides where the application runs. May change at any time: read it once per decision.</summary>
    public CallbackDispatcher Dispatcher => _dispatcher;

    /// <summary>
    /// Whether the application's code belongs on the calling thread: its loop's, or a worker of its dispatcher.
    /// </summary>
    public bool IsAtHome => IsHome(_dispatcher);

    /// <summary>
    /// Whether a flush may wait for the end of the callback. Always on the loop's holder: a blocking callback loses the loop, and
    /// the cork with it. No watchdog covers a worker, so there only while more pipelined requests are buffered.
    /// </summary>
    public bool MayCork => _dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : _input.HasBytes;

    /// <summary>A callback of the connection blocked and lost the loop. Called by the loop's new holder.</summary>
    public void OnHandedOver()
    {
        if (Shard.Demoted is { } demoted && (_stalls ??= new StallRecord(Shard.Time)).OnHandedOver())
        {
            _dispatcher = demoted;
            Shard.Counters.OnDemoted();
        }
    }

    /// <summary>
    /// On the loop, before a callback: moves the connection off the loop or back to it. While too many of the loop's threads are
    /// blocked, every connection leaves.
    /// </summary>
    public void ReconsiderDispatch()
    {
        var current = _dispatcher;
        if (Shard.Demoted is { } demoted && !Shard.Loop.MayBlock)
        {
            if (current == Shard.Dispatcher && TryChange(current, demoted))
            {
                Shard.Counters.OnDemoted();
            }
        }
        else if (current == Shard.Dispatcher)
        {
            if (_output.ExpectsBursts && Shard.Bursts is { } bursts)
            {
                TryChange(current, bursts);
            }
        }
        else if (current == Shard.Bursts ? _output.HasForgottenBursts : MayComeBack())
        {
            TryChange(current, Shard.Dispatcher);
        }
    }

    // Back from the workers, where the connection went because of its own hand-overs or those of others.
    private bool MayComeBack() => _stalls is not { IsDemoted: true } stalls || stalls.TryEndStay();

    // A late thread must not undo the decision that its successor took because of it.
    private bool TryChange(CallbackDispatcher current, CallbackDispatcher next) =>
        Interlocked.CompareExchange(ref _dispatcher, next, current) == current;

    private bool IsHome(CallbackDispatcher dispatcher) =>
        dispatcher.IsInline ? Shard.Loop.IsHeldByCurrentThread : dispatcher.IsHome;
}
