using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Interop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Accepts the connections of one listening socket on its loop, and never stops: it handles every error of accept(2) by
/// continuing, by a pause while descriptors or memory are short, or, if they stay short, by refusing a waiting connection.
/// </summary>
/// <remarks>
/// The socket is watched edge-triggered; after a number of connections the rest is left to a post. If a loop was handed over
/// while a thread accepts, the new holder must not wait for that thread: it records its turn (<see cref="_missed"/>), which the
/// thread picks up when it leaves. Level-triggered, each successor would get the same event, wait for the same lock, and be late.
/// </remarks>
internal sealed partial class AcceptHandler : EventLoopHandler, IDisposable
{
    // Few enough to stay below the stall threshold.
    private const int AcceptsInARow = 16;

    private readonly LoopShard _shard;
    private readonly EndPoint _endPoint;
    private readonly SocketTuning _tuning;
    private readonly Func<StreamSocket, LoopShard> _choose;
    private readonly Func<EpollConnection, bool> _deliver;
    private readonly Lock _lock = new();
    private readonly Func<StreamSocket> _reopen;
    private StreamSocket _socket;
    private ulong _cookie;
    private LocalEndPoints _locals;
    private bool _joinsEnds;
    private LogGate _adoptFailures;
    private bool _isStopped;
    private int _missed;
    private int _isDue;
    private int _isUnwatched;
    private int _failuresInARow;

    /// <param name="shard">The accepting shard.</param>
    /// <param name="socket">The listening socket; the handler closes it.</param>
    /// <param name="endPoint">What it listens on.</param>
    /// <param name="tuning">The options of the sockets that are accepted.</param>
    /// <param name="reopen">Opens another listening socket for the end point when this one is lost.</param>
    /// <param name="choose">Returns the shard that serves an accepted connection; called on the accepting loop.</param>
    /// <param name="deliver">Takes the connections; false once the listener no longer accepts any.</param>
    public AcceptHandler(
        LoopShard shard,
        StreamSocket socket,
        EndPoint endPoint,
        SocketTuning tuning,
        Func<StreamSocket> reopen,
        Func<StreamSocket, LoopShard> choose,
        Func<EpollConnection, bool> deliver)
    {
        _shard = shard;
        _endPoint = endPoint;
        TakeOver(socket);
        _tuning = tuning;
        _reopen = reopen;
        _choose = choose;
        _deliver = deliver;
        _resume = (shard.Options.Time ?? BackgroundTime.Instance).CreateTimer(
            static handler => ((AcceptHandler)handler!).PostResume(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal override LoopUser User => _shard.User;

    /// <summary>
    /// Starts accepting. Fires the timer once, which starts the periodic check of the socket.
    /// </summary>
    public void Start()
    {
        _lock.Enter();
        try
        {
            _shard.Loop.Register(_socket, this, EventLoopEvents.Readable);
            _isWatched = true;
            SetResume(TimeSpan.Zero);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Makes the kernel choose among the sockets of the port; see <see cref="SocketHandle.SteerBy"/>.</summary>
    public SysResult Steer(ReadOnlySpan<SocketFilter> program)
    {
        _lock.Enter();
        try
        {
            return _isStopped || _socket.IsClosed ? default : _socket.SteerBy(program);
        }
        finally
        {
            Leave();
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

    /// <summary>Shown in messages about what the loop is running.</summary>
    public override string ToString() => $"accepting on {_endPoint}";

    /// <summary>The rebuilt loop cannot watch the socket: it is soon watched again, or replaced.</summary>
    protected internal override void OnUnwatched(NumaException reason)
    {
        // Outside a callback the watchdog cannot hand the loop over: do not wait for a thread that is late in accepting.
        Volatile.Write(ref _isUnwatched, 1);
        OnReady(EventLoopEvents.None);
    }

    protected internal override void OnReady(EventLoopEvents events)
    {
        if (!TryTakeTurn(events))
        {
            return;
        }

        try
        {
            events |= (EventLoopEvents)Interlocked.Exchange(ref _missed, 0);
            if (!_isStopped)
            {
                Handle(events);
            }
        }
        catch
        {
            // No event comes for connections that already wait.
            Pause();
            throw;
        }
        finally
        {
            Leave();
        }
    }

    // Recorded, then tried again: a thread that left before the record was written has not seen it, but has released the lock.
    private bool TryTakeTurn(EventLoopEvents events)
    {
        if (_lock.TryEnter())
        {
            return true;
        }

        Interlocked.Or(ref _missed, (int)(events | EventLoopEvents.Posted));
        return _lock.TryEnter();
    }

    private void Leave()
    {
        _lock.Exit();
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _missed) != 0)
        {
            _shard.Loop.Post(this);
        }
    }

    private void Handle(EventLoopEvents events)
    {
        if (Interlocked.Exchange(ref _isUnwatched, 0) != 0)
        {
            _isWatched = false;
            if (!_isPaused)
            {
                _shard.Counters.OnAcceptError();
                Pause();
            }
        }

        if (Interlocked.Exchange(ref _isDue, 0) != 0)
        {
            Resume();
        }

        if ((events & EventLoopEvents.HangUp) != 0 && !_isBroken)
        {
            // Only a socket that was shut down hangs up; accept(2) on a Unix one then returns EAGAIN.
            OnBroken(SysResult.FromErrno(Errno.EINVAL));
        }

        var accepted = 0;
        var firstReserved = _isPaused ? 0 : DescriptorHeadroom.FirstReserved();
        while (!_isPaused && TryAcceptOne(firstReserved))
        {
            // Other connections get their turn; no event would come for the rest.
            if (++accepted < AcceptsInARow && _shard.Loop.IsHeldByCurrentThread)
            {
                continue;
            }

            if (_failuresInARow >= AcceptsInARow)
            {
                // accept(2) may keep failing with an empty backlog, for example if a filter refuses every call.
                Pause();
            }
            else
            {
                _shard.Loop.Post(this);
            }

            break;
        }
    }

    [MemberNotNull(nameof(_socket), nameof(_locals))]
    private void TakeOver(StreamSocket socket)
    {
        _socket = socket;
        _cookie = socket.GetCookie();
        _locals = new LocalEndPoints(socket, _endPoint);

        // Before the handshake has ended, shutdown(2) sends nothing (Linux since CVE-2024-36905): it would keep the bytes back.
        _joinsEnds = !socket.MayOpenFast;
    }

    private bool TryAcceptOne(long firstReserved)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The listening socket may be closed at any time.");
        var result = _socket.Accept(_endPoint, out var socket, out var remote);
        if (result.Succeeded)
        {
            _failuresInARow = 0;
            var isLast = socket!.Number >= firstReserved;
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

        _failuresInARow++;
        _shard.Counters.OnAcceptError();
        return ContinuesAfter(result);
    }

    private void Adopt(StreamSocket socket, EndPoint remote)
    {
        EpollConnection? connection = null;
        try
        {
            _tuning.ApplyToAccepted(socket, _endPoint.AddressFamily);
            var local = socket.GetLocalEndPoint(_locals, out var endPoint).Succeeded ? endPoint! : _endPoint;

            // Possibly another loop's: the connection's first event goes there, and no byte is read before.
            var shard = _choose(socket);
            connection = new EpollConnection(shard, socket, local, remote) { JoinsEnd = _joinsEnds };
            shard.Counters.OnAccepted();
            connection.Start();
            if (!_deliver(connection))
            {
                connection.Abort(new SocketException((int)SocketError.ConnectionAborted));
            }
        }
        catch (Exception exception)
        {
            // A failure of one connection (out of memory or epoll watches) must not stop the accepting of others.
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
