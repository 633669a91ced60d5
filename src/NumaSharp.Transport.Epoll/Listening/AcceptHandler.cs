using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Accepts the connections of one listening socket on its loop, and cannot die: every error of accept(2) is answered by going
/// on, by a pause while descriptors or memory are short, or, when they stay short, by refusing a waiting connection.
/// </summary>
internal sealed class AcceptHandler : EventLoopHandler, IDisposable
{
    // Few enough to stay below the stall threshold.
    private const int AcceptsInARow = 16;

    private static readonly TimeSpan s_warningInterval = TimeSpan.FromMinutes(1);

    private const int PauseMilliseconds = 50;

    // After a second of pauses the clients at the head of the backlog are better told than kept.
    private const int PausesBeforeShedding = 20;

    private readonly ListenerShard _shard;
    private readonly StreamSocket _socket;
    private readonly EndPoint _endPoint;
    private readonly SocketTuning _tuning;
    private readonly Func<StreamSocket, ListenerShard> _choose;
    private readonly Func<EpollConnection, bool> _deliver;
    private readonly Lock _lock = new();
    private readonly Timer _resume;
    private int _pauses;
    private long? _lastWarning;
    private bool _isPaused;
    private bool _isStopped;

    /// <param name="shard">Accepts.</param>
    /// <param name="socket">The listening socket; the handler closes it.</param>
    /// <param name="endPoint">What it listens on.</param>
    /// <param name="tuning">The options of the sockets that are accepted.</param>
    /// <param name="choose">Says which shard serves a connection that was accepted; it is called on the accepting loop.</param>
    /// <param name="deliver">Takes the connections; false when nobody wants them any more.</param>
    public AcceptHandler(
        ListenerShard shard,
        StreamSocket socket,
        EndPoint endPoint,
        SocketTuning tuning,
        Func<StreamSocket, ListenerShard> choose,
        Func<EpollConnection, bool> deliver)
    {
        _shard = shard;
        _socket = socket;
        _endPoint = endPoint;
        _tuning = tuning;
        _choose = choose;
        _deliver = deliver;
        _resume = new Timer(static handler => ((AcceptHandler)handler!).PostResume(), this, Timeout.Infinite, Timeout.Infinite);
    }

    /// <summary>
    /// Begins to accept. Fires the timer once: the runtime makes its timer thread at the first use, and making a thread takes
    /// descriptors (a pipe), of which there are none left when the timer is needed.
    /// </summary>
    public void Start()
    {
        _shard.Loop.RegisterLevelTriggered(_socket, this, EventLoopEvents.Readable);
        _resume.Change(0, Timeout.Infinite);
    }

    /// <summary>Has the kernel choose among the sockets of the port; see <see cref="StreamSocket.SteerBy"/>.</summary>
    public SysResult Steer(ReadOnlySpan<SocketFilter> program)
    {
        lock (_lock)
        {
            return _isStopped ? default : _socket.SteerBy(program);
        }
    }

    /// <summary>Stops accepting and closes the listening socket. Connections in its backlog are reset by the kernel.</summary>
    public void Dispose()
    {
        // The lock keeps accept away from a descriptor that is being closed.
        lock (_lock)
        {
            if (_isStopped)
            {
                return;
            }

            _isStopped = true;
            if (_isPaused)
            {
                _shard.Counters.OnAcceptResumed();
            }

            // An inherited socket stays open elsewhere, and would be in the loop's set for ever.
            _shard.Loop.Unregister(_socket, this);
            _socket.Dispose();
            _resume.Dispose();
        }
    }

    protected override void OnReady(EventLoopEvents events)
    {
        lock (_lock)
        {
            if (_isStopped)
            {
                return;
            }

            if ((events & EventLoopEvents.Posted) != 0)
            {
                Resume();
            }

            for (var i = 0; i < AcceptsInARow && !_isPaused && _shard.Loop.IsHeldByCurrentThread && TryAcceptOne(); i++)
            {
            }
        }
    }

    private bool TryAcceptOne()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The listening socket may be closed at any time.");
        var result = _socket.Accept(_endPoint, out var socket, out var remote);
        if (result.Succeeded)
        {
            var isLast = DescriptorHeadroom.Includes(socket!);
            Adopt(socket!, remote!);
            if (isLast)
            {
                OnExhausted(SysResult.FromErrno(Errno.EMFILE));
            }

            return !isLast;
        }

        if (result.IsAgain)
        {
            return false;
        }

        _shard.Counters.OnAcceptError();
        switch (result.Errno)
        {
            // The connection ended while it waited, or a firewall refused it: accept(2), "Error handling". The next one is fine.
            case Errno.ECONNABORTED or Errno.EPROTO or Errno.EPERM or Errno.ENETDOWN or Errno.ENOPROTOOPT or Errno.EHOSTDOWN
                or Errno.EHOSTUNREACH or Errno.EOPNOTSUPP or Errno.ENETUNREACH:
                return true;
            case Errno.EMFILE or Errno.ENFILE or Errno.ENOBUFS or Errno.ENOMEM:
                OnExhausted(result);
                return false;
            default:
                if (IsWarningDue())
                {
                    _shard.Log.AcceptFailed(_shard.Loop.Index, PauseMilliseconds, result.ErrorName);
                }

                Pause();
                return false;
        }
    }

    private void Adopt(StreamSocket socket, EndPoint remote)
    {
        EpollConnection? connection = null;
        try
        {
            _tuning.ApplyToAccepted(socket, _endPoint.AddressFamily);
            var local = socket.GetLocalEndPoint(_endPoint, out var endPoint).Succeeded ? endPoint! : _endPoint;

            // Perhaps another loop's: the connection's first event goes there, and no byte is read before.
            var shard = _choose(socket);
            connection = new EpollConnection(shard, socket, local, remote);
            shard.Counters.OnAccepted();
            connection.Start();
            if (!_deliver(connection))
            {
                connection.Abort(new SocketException((int)SocketError.ConnectionAborted));
            }
        }
        catch (Exception exception)
        {
            // Whatever goes wrong with one connection (no memory, no epoll watch left) must not end the accepting of others.
            _shard.Counters.OnAcceptError();
            _shard.Log.AdoptFailed(_shard.Loop.Index, exception);
            connection?.Abort(exception);
            socket.Dispose();
        }
    }

    private void OnExhausted(SysResult reason)
    {
        if (_pauses++ == 0 && IsWarningDue())
        {
            _shard.Log.AcceptPaused(_shard.Loop.Index, PauseMilliseconds, reason.ErrorName);
        }

        Pause();
    }

    // Trouble that goes on is said once a minute, not at every pause.
    private bool IsWarningDue()
    {
        if (_lastWarning is { } last && TimeProvider.System.GetElapsedTime(last) < s_warningInterval)
        {
            return false;
        }

        _lastWarning = TimeProvider.System.GetTimestamp();
        return true;
    }

    // The timer first: should it fail, the handler is not paused, and the level-triggered event comes again.
    private void Pause()
    {
        _resume.Change(PauseMilliseconds, Timeout.Infinite);
        _shard.Loop.Modify(_socket, this, EventLoopEvents.None);
        _isPaused = true;
        _shard.Counters.OnAcceptPaused();
    }

    private void Resume()
    {
        if (!_isPaused)
        {
            return;
        }

        if (_pauses > 0 && !HasDescriptorsAgain())
        {
            ShedAfterPatience();
            _pauses++;
            _resume.Change(PauseMilliseconds, Timeout.Infinite);
            return;
        }

        _pauses = 0;
        _isPaused = false;
        _shard.Counters.OnAcceptResumed();
        _shard.Loop.Modify(_socket, this, EventLoopEvents.Readable);
    }

    private bool HasDescriptorsAgain()
    {
        var probe = StreamSocket.Create(_endPoint.AddressFamily, out var socket);
        using (socket)
        {
            return probe.Succeeded && !DescriptorHeadroom.Includes(socket!);
        }
    }

    // The client gets a reset instead of a silence. Takes a descriptor of the headroom for a moment.
    private void ShedAfterPatience()
    {
        if (_pauses < PausesBeforeShedding || !_socket.Accept(_endPoint, out var socket, out _).Succeeded)
        {
            return;
        }

        _shard.Counters.OnAcceptError();
        _ = socket!.SetResetOnClose();
        socket.Dispose();
        if (IsWarningDue())
        {
            _shard.Log.ConnectionShed(_shard.Loop.Index, PausesBeforeShedding * PauseMilliseconds / 1000);
        }
    }

    private void PostResume() => _shard.Loop.Post(this);
}
