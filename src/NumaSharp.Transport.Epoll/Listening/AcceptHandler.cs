using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Logging;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Accepts the connections of one listening socket on its loop, and cannot die: every error of accept(2) is answered by going
/// on, by a pause while descriptors or memory are short, or, when they stay short, by refusing a waiting connection.
/// </summary>
internal sealed partial class AcceptHandler : EventLoopHandler, IDisposable
{
    // Few enough to stay below the stall threshold.
    private const int AcceptsInARow = 16;

    private readonly ListenerShard _shard;
    private readonly EndPoint _endPoint;
    private readonly SocketTuning _tuning;
    private readonly LocalEndPoints _locals;
    private readonly Func<StreamSocket, ListenerShard> _choose;
    private readonly Func<EpollConnection, bool> _deliver;
    private readonly Lock _lock = new();
    private readonly Func<StreamSocket> _reopen;
    private StreamSocket _socket;
    private ulong _cookie;
    private LogGate _adoptFailures;
    private bool _isStopped;

    /// <param name="shard">Accepts.</param>
    /// <param name="socket">The listening socket; the handler closes it.</param>
    /// <param name="endPoint">What it listens on.</param>
    /// <param name="tuning">The options of the sockets that are accepted.</param>
    /// <param name="reopen">Makes another listening socket for the end point when this one is lost.</param>
    /// <param name="choose">Says which shard serves a connection that was accepted; it is called on the accepting loop.</param>
    /// <param name="deliver">Takes the connections; false when nobody wants them any more.</param>
    public AcceptHandler(
        ListenerShard shard,
        StreamSocket socket,
        EndPoint endPoint,
        SocketTuning tuning,
        Func<StreamSocket> reopen,
        Func<StreamSocket, ListenerShard> choose,
        Func<EpollConnection, bool> deliver)
    {
        _shard = shard;
        _socket = socket;
        _cookie = socket.GetCookie();
        _endPoint = endPoint;
        _locals = new LocalEndPoints(endPoint);
        _tuning = tuning;
        _reopen = reopen;
        _choose = choose;
        _deliver = deliver;
        _resume = (shard.Options.Time ?? BackgroundTime.Instance).CreateTimer(
            static handler => ((AcceptHandler)handler!).PostResume(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>
    /// Begins to accept. Fires the timer once, and so begins to look after the socket.
    /// </summary>
    public void Start()
    {
        _shard.Loop.RegisterLevelTriggered(_socket, this, EventLoopEvents.Readable);
        _isWatched = true;
        SetResume(TimeSpan.Zero);
    }

    /// <summary>Has the kernel choose among the sockets of the port; see <see cref="SocketHandle.SteerBy"/>.</summary>
    public SysResult Steer(ReadOnlySpan<SocketFilter> program)
    {
        lock (_lock)
        {
            return _isStopped || _socket.IsClosed ? default : _socket.SteerBy(program);
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

            if (_isBroken)
            {
                _shard.Counters.OnListenerMended();
            }

            CloseSocket();
            _resume.Dispose();
        }
    }

    /// <summary>For messages about what a loop does.</summary>
    public override string ToString() => $"accepting on {_endPoint}";

    /// <summary>The loop was made anew and cannot watch the socket: it is watched again, or another one made, soon.</summary>
    protected override void OnUnwatched(NumaException reason)
    {
        lock (_lock)
        {
            _isWatched = false;
            if (!_isStopped && !_isPaused)
            {
                _shard.Counters.OnAcceptError();
                Pause();
            }
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

            if ((events & EventLoopEvents.HangUp) != 0 && !_isBroken)
            {
                // Only a socket that was shut down hangs up (a Unix one says EAGAIN then), and for ever: the loop would spin.
                OnBroken(SysResult.FromErrno(Errno.EINVAL));
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
        return GoesOnAfter(result);
    }

    private void Adopt(StreamSocket socket, EndPoint remote)
    {
        EpollConnection? connection = null;
        try
        {
            _tuning.ApplyToAccepted(socket, _endPoint.AddressFamily);
            var local = socket.GetLocalEndPoint(_locals, out var endPoint).Succeeded ? endPoint! : _endPoint;

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
            if (_adoptFailures.TryPass())
            {
                _shard.Log.AdoptFailed(_shard.Loop.Index, exception);
            }

            connection?.Abort(exception);
            socket.Dispose();
        }
    }
}
