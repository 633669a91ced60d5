using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;

namespace NumaSharp.Transport.Epoll.Connections;

/// <content>How reading ends: by the client, an error or the application.</content>
internal sealed unsafe partial class ReceivePipe
{
    // As much as Kestrel's sockets would have read ahead.
    private const int MaxDiscarded = 1 << 20;

    // Why the socket is not received from any more. Reads wait, and throw it once ConnectionClosed has been signalled.
    private Exception? _failure;

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
    /// Ends the connection in order: FIN, then discards the client's unread bytes, up to a bound, because closing with unread
    /// bytes sends a reset that can destroy the last response in flight (tcp(7)). Called with both locks held.
    /// </summary>
    public SysResult EndOrderly()
    {
        AssertLocked();
        var result = _socket.ShutdownSend();
        if (!_ended)
        {
            _socket.Discard(MaxDiscarded, isTcp: !_connection.IsUnix);
        }

        return result;
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
}
