using System.Net;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Connecting;

/// <summary>A pending outgoing connection (connect(2)): its loop reports success or failure.</summary>
internal sealed class ConnectOperation : EventLoopHandler
{
    private readonly LoopShard _shard;
    private readonly EndPoint _endPoint;
    private readonly StreamSocket _socket;
    private readonly CancellationToken _stopping;
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource<EpollConnection> _result = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private NumaException? _failure;
    private bool _isOver;

    private ConnectOperation(LoopShard shard, EndPoint endPoint, StreamSocket socket, CancellationToken stopping)
    {
        _stopping = stopping;
        _shard = shard;
        _endPoint = endPoint;
        _socket = socket;
    }

    internal override LoopUser User => _shard.User;

    /// <param name="shard">The shard that will serve the connection.</param>
    /// <param name="endPoint">The destination.</param>
    /// <param name="tuning">The socket's options.</param>
    /// <param name="stopping">Fails the attempt with an <see cref="ObjectDisposedException"/>.</param>
    /// <param name="cancellationToken">The caller's token.</param>
    public static async Task<EpollConnection> RunAsync(
        LoopShard shard,
        EndPoint endPoint,
        SocketTuning tuning,
        CancellationToken stopping,
        CancellationToken cancellationToken)
    {
        SocketFailure.ThrowIfFailed(StreamSocket.Create(endPoint.AddressFamily, out var socket), $"socket for {endPoint}");
        var operation = new ConnectOperation(shard, endPoint, socket!, stopping);
        try
        {
            operation.Start(tuning);
        }
        catch
        {
            socket!.Dispose();
            throw;
        }

        using (cancellationToken.UnsafeRegister(
            static (operation, token) => ((ConnectOperation)operation!).End(new OperationCanceledException(token)), operation))
        using (stopping.UnsafeRegister(
            static operation => ((ConnectOperation)operation!).End(
                new ObjectDisposedException(typeof(EpollTransportFactory).FullName)), operation))
        {
            return await operation._result.Task.ConfigureAwait(false);
        }
    }

    /// <summary>Shown in messages about what the loop is running.</summary>
    public override string ToString() => $"connecting to {_endPoint}";

    protected internal override void OnReady(EventLoopEvents events)
    {
        if (TryEnd())
        {
            Finish(_socket.TakeError());
        }
    }

    protected internal override void OnUnwatched(NumaException reason) => End(reason);

    private void Start(SocketTuning tuning)
    {
        tuning.ApplyToClient(_socket, _endPoint.AddressFamily);
        var result = _socket.Connect(_endPoint);
        if (result.Errno != Errno.EINPROGRESS)
        {
            // Nothing may end it any more: the socket is the connection's.
            lock (_lock)
            {
                _isOver = true;
            }

            Finish(result);
            return;
        }

        _shard.Loop.Register(_socket, this, EventLoopEvents.Writable);
    }

    private void End(Exception reason)
    {
        if (TryEnd())
        {
            Fail(reason);
        }
    }

    // Either the loop or a cancelling thread ends the attempt. The connection registers the descriptor again, for other events.
    private bool TryEnd()
    {
        lock (_lock)
        {
            if (_isOver)
            {
                return false;
            }

            _isOver = true;
            try
            {
                _shard.Loop.Unregister(_socket, this);
            }
            catch (NumaException exception)
            {
                // Still in the kernel's set until the socket is closed, which follows; the caller must not wait forever.
                _failure = exception;
            }

            return true;
        }
    }

    private void Finish(SysResult result)
    {
        if (!result.Succeeded)
        {
            Fail(SocketFailure.ToException(result, $"connect to {_endPoint}"));
            return;
        }

        if (_failure is not null)
        {
            Fail(_failure);
            return;
        }

        try
        {
            SocketFailure.ThrowIfFailed(_socket.GetLocalEndPoint(_endPoint, out var local), $"getsockname for {_endPoint}");
            var connection = new EpollConnection(_shard, _socket, local!, _endPoint);
            connection.Start();
            if (_stopping.IsCancellationRequested)
            {
                // The factory may have ended its connections just before this one was registered.
                connection.Abandon();
            }

            _result.SetResult(connection);
        }
        catch (Exception exception)
        {
            // An exception must not end the loop's thread; it is passed to the caller.
            Fail(exception);
        }
    }

    private void Fail(Exception reason)
    {
        _socket.Dispose();
        _result.TrySetException(reason);
    }
}
