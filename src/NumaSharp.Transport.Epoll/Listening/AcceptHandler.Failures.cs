using System.Diagnostics;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <content>
/// How accepting handles failures. A timer ends each pause, and whatever must be regained (descriptors, the loop's watch, the
/// listening socket itself) is retried until it is there.
/// </content>
internal sealed partial class AcceptHandler
{
    private const int PauseMilliseconds = 50;

    // After a second of pauses, refusing the clients at the head of the backlog is better than keeping them waiting.
    private const int PausesBeforeShedding = 20;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(PauseMilliseconds);
    private static readonly TimeSpan s_checkInterval = TimeSpan.FromSeconds(5);

    // The timer's thread exists since the first listener's start: starting one takes descriptors (a pipe), and none are left when
    // a pause has to end.
    private readonly ITimer _resume;
    private LogGate _exhaustions;
    private LogGate _sheddings;
    private LogGate _failures;
    private LogGate _losses;
    private int _pauses;
    private bool _isPaused;
    private bool _isBroken;
    private bool _isWatched;

    // After a failed accept(2). Called with the lock held.
    private bool ContinuesAfter(SysResult failure)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The listening socket may be closed at any time.");
        switch (failure.Errno)
        {
            // The connection ended while it waited, or a firewall refused it: accept(2), "Error handling". The next one is fine.
            case Errno.ECONNABORTED or Errno.EPROTO or Errno.EPERM or Errno.ENETDOWN or Errno.ENOPROTOOPT or Errno.EHOSTDOWN
                or Errno.EHOSTUNREACH or Errno.EOPNOTSUPP or Errno.ENETUNREACH or Errno.ENONET or Errno.ETIMEDOUT:
                return true;
            case Errno.EMFILE or Errno.ENFILE or Errno.ENOBUFS or Errno.ENOMEM:
                OnExhausted(failure);
                return false;
            case Errno.EBADF or Errno.ENOTSOCK or Errno.EINVAL:
                OnBroken(failure);
                return false;
            default:
                LogFailure(failure.ErrorName);
                Pause();
                return false;
        }
    }

    private void LogFailure(string error)
    {
        if (_failures.TryPass())
        {
            _shard.Log.AcceptFailed(_shard.Loop.Index, PauseMilliseconds, error);
        }
    }

    private void OnExhausted(SysResult reason)
    {
        if (_pauses++ == 0 && _exhaustions.TryPass())
        {
            _shard.Log.AcceptPaused(_shard.Loop.Index, PauseMilliseconds, reason.ErrorName);
        }

        Pause();
    }

    // Other code closed the descriptor or shut the socket down (shutdown(2)): it receives no more connections.
    private void OnBroken(SysResult reason)
    {
        MarkBroken(reason.ErrorName);
        if (!TryReopen())
        {
            Pause();
        }
    }

    private void MarkBroken(string error)
    {
        if (_losses.TryPass())
        {
            _shard.Log.ListenerLost(_shard.Loop.Index, _endPoint, error);
        }

        _isBroken = true;
        _shard.Counters.OnListenerBroken();
    }

    // Socket events are ignored during a pause: its end checks the socket in any case.
    private void Pause()
    {
        SetResume(s_pause);
        if (!_isPaused)
        {
            _isPaused = true;
            _shard.Counters.OnAcceptPaused();
        }
    }

    private void Resume()
    {
        if (!_isPaused)
        {
            CheckSocket();
            return;
        }

        if (!MayResume() || !TryWatch())
        {
            SetResume(s_pause);
            return;
        }

        _pauses = 0;
        _isPaused = false;
        _shard.Counters.OnAcceptResumed();
        CheckSocket();
    }

    // Every few seconds, as log levels change: a descriptor closed by other code leaves the loop's set silently.
    private void CheckSocket()
    {
        SetResume(s_checkInterval);
        _shard.ConnectionLog.FollowLevel();
        if (!IsOurs())
        {
            OnBroken(SysResult.FromErrno(Errno.EBADF));
        }
    }

    private bool MayResume()
    {
        if (_isBroken)
        {
            return TryReopen();
        }

        if (_pauses > 0 && LacksDescriptors())
        {
            ShedIfOverdue();
            _pauses++;
            return false;
        }

        return true;
    }

    // Failures other than exhaustion say nothing about descriptors: accept(2) itself is retried then.
    private bool LacksDescriptors()
    {
        var probe = StreamSocket.Create(_endPoint.AddressFamily, out var socket);
        using (socket)
        {
            return probe.Succeeded
                ? DescriptorHeadroom.Includes(socket!)
                : probe.Errno is Errno.EMFILE or Errno.ENFILE or Errno.ENOBUFS or Errno.ENOMEM;
        }
    }

    // The client gets a reset instead of silence. Briefly uses a descriptor of the headroom.
    private void ShedIfOverdue()
    {
        if (_pauses < PausesBeforeShedding || !_socket.Accept(_endPoint, out var socket, out _).Succeeded)
        {
            return;
        }

        _shard.Counters.OnAcceptError();
        _ = socket!.SetResetOnClose();
        socket.Dispose();
        if (_sheddings.TryPass())
        {
            _shard.Log.ConnectionShed(_shard.Loop.Index, PausesBeforeShedding * PauseMilliseconds / 1000);
        }
    }

    // False: the kernel refused; it is retried. This also detects a descriptor closed by other code.
    private bool TryWatch()
    {
        if (_isWatched || _socket.IsClosed)
        {
            return true;
        }

        try
        {
            _shard.Loop.Register(_socket, this, EventLoopEvents.Readable);
            return _isWatched = true;
        }
        catch (NumaException exception)
        {
            if (!_isBroken && !IsOurs())
            {
                MarkBroken(exception.Result?.ErrorName ?? exception.Message);
            }
            else
            {
                LogFailure(exception.Result?.ErrorName ?? exception.Message);
            }

            return false;
        }
    }

    private bool TryReopen()
    {
        CloseSocket();
        StreamSocket? socket = null;
        try
        {
            socket = _reopen();
            _shard.Loop.Register(socket, this, EventLoopEvents.Readable);
        }
        catch (Exception exception) when (exception is SocketException or NumaException)
        {
            socket?.Dispose();
            LogFailure(exception.Message);
            return false;
        }

        // A hang-up recorded for the previous socket.
        Interlocked.And(ref _missed, ~(int)EventLoopEvents.HangUp);
        TakeOver(socket);
        _isWatched = true;
        _isBroken = false;
        _shard.Counters.OnListenerMended();
        return true;
    }

    // If other code closed the descriptor, its number may have been reused and must not be closed here.
    private void CloseSocket()
    {
        if (_socket.IsClosed)
        {
            return;
        }

        _isWatched = false;
        try
        {
            // An inherited socket stays open elsewhere, and would stay in the loop's set forever.
            _shard.Loop.Unregister(_socket, this);
        }
        catch (NumaException exception)
        {
            // The socket is closed anyway: the end point's next one must be able to bind.
            LogFailure(exception.Result?.ErrorName ?? exception.Message);
        }

        if (IsOurs())
        {
            _socket.Dispose();
        }
        else
        {
            _socket.SetHandleAsInvalid();
        }
    }

    // Without socket cookies, the descriptor number is all there is to compare.
    private bool IsOurs() => _cookie == 0 || _socket.GetCookie() == _cookie;

    private void SetResume(TimeSpan after) => _resume.Change(after, Timeout.InfiniteTimeSpan);

    private void PostResume()
    {
        Volatile.Write(ref _isDue, 1);
        _shard.Loop.Post(this);
    }
}
