using System.Diagnostics;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Udp.Interop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <content>The socket: from its first event to its end, including its loss in between.</content>
public sealed partial class NumaUdpShard
{
    // Taken before the lock of the socket as a whole.
    private readonly Lock _lifetime = new();
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private DatagramSocket _socket;
    private ulong _cookie;
    private long _drops;
    private uint _lastDrops;
    private volatile bool _isLost;
    private volatile bool _isStarved;
    private volatile bool _isReported;

    /// <summary>Whether the shard accepts no more datagrams and ends when its queue is empty.</summary>
    internal bool IsStopping { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); }

    internal bool IsClosed { get => Volatile.Read(ref field); private set => Volatile.Write(ref field, value); }

    /// <summary>Completes when the receivers have returned their memory.</summary>
    internal Task Ended => _ended.Task;

    private bool IsServing => !IsClosed && !_isLost && !_isStuck;

    // A socket without a cookie (Linux before 4.12) cannot be distinguished from another.
    private bool IsOurs => _cookie == 0 || _socket.GetCookie() == _cookie;

    // If other code closed the descriptor, its number may be another file's, which must be neither read nor changed.
    private bool IsThere => !_socket.IsClosed && IsOurs;

    /// <exception cref="NumaException">The loop cannot watch the socket.</exception>
    /// <exception cref="SocketException">No timer could be created.</exception>
    internal void Start()
    {
        if (_owner.Options.CoalesceDelay > TimeSpan.Zero)
        {
            _coalescer = new Coalescer(
                _loop, User, Watch, _owner.Options.CoalesceDelay, ReceiveAndCount, _owner.Time);
        }

        Watch.Start(_socket);
    }

    /// <summary>Without the lock, because restarts hold it while they wait for a thread that is steering.</summary>
    internal SysResult SteerBy(ReadOnlySpan<Sockets.SocketFilter> program) =>
        IsThere ? _socket.SteerUnlessClosed(program) : default;

    /// <summary>
    /// Calls a function with the socket, after a lost one was replaced; EBADF once it is closed, or if it is lost for now.
    /// </summary>
    internal SysResult WithSocket(Func<DatagramSocket, SysResult> use)
    {
        Debug.Assert(!_owner.IsLocked, "the shard's lock comes first");
        lock (_lifetime)
        {
            var isThere = !IsClosed && IsThere;
            if (!isThere && !IsClosed)
            {
                CheckSocket();
                isThere = IsThere;
            }

            return isThere ? use(_socket) : SysResult.FromErrno(Errno.EBADF);
        }
    }

    /// <summary>Stops accepting datagrams; completes when the queued ones have been received.</summary>
    internal Task StopAsync()
    {
        lock (_lifetime)
        {
            if (!IsClosed && !IsStopping)
            {
                StopAccepting();
                IsStopping = true;
            }
        }

        Post();
        return _drained.Task;
    }

    /// <summary>Closes the socket: queued datagrams are lost, and counted.</summary>
    internal void Close()
    {
        // Before the socket, so that a send that finds it closed can report why.
        _sends.Close();
        lock (_lifetime)
        {
            if (IsClosed)
            {
                return;
            }

            IsStopping = true;
            _coalescer?.Dispose();
            Watch.Stop();
            Abandon();
            IsClosed = true;
        }

        _drained.TrySetResult();
        _receiver.OnClosed();
        Release();
    }

    /// <summary>The queue is empty, and no more datagrams come.</summary>
    internal void OnDrained() => _drained.TrySetResult();

    /// <summary>A rebuilt loop cannot watch the socket: it gets no event until a check has it watched again.</summary>
    internal void OnUnwatched(string error)
    {
        lock (_lifetime)
        {
            if (IsClosed || _isLost)
            {
                return;
            }

            if (!IsThere)
            {
                OnLost(error);
                return;
            }

            _isLost = true;
            ReportUnwatched(error);
        }
    }

    /// <summary>Other code closed the socket, or the loop cannot watch it: the next check repairs that.</summary>
    internal void OnLost(string error)
    {
        if (IsStopping || _isLost)
        {
            return;
        }

        _isLost = true;
        _owner.OnSocketLost(this, error);
    }

    /// <summary>
    /// Every second, until the shard is closed: checks whether the socket is still there, whether it must be received from
    /// without an event, and whether its handler hangs.
    /// </summary>
    internal void Check()
    {
        lock (_lifetime)
        {
            if (IsClosed)
            {
                return;
            }

            CheckSocket();
        }

        if (_isStarved)
        {
            _isStarved = false;
            Post();
        }

        CheckHandler();
    }

    private void StopAccepting()
    {
        if (IsThere)
        {
            // Without a filter the queue is drained all the same; later datagrams are lost with the socket.
            _ = _socket.DropIncoming();
            return;
        }

        // Lost, and not replaced any more: nothing is queued.
        _isLost = true;
        Watch.Stop();
        Abandon();
    }

    private void CheckSocket()
    {
        if (IsThere)
        {
            if (TryWatch())
            {
                // Also a late report about the previous socket. Datagrams that arrived since then cause no more events.
                _isStarved |= _isLost;
                (_isLost, _isReported) = (false, false);
            }
        }
        else if (!IsStopping)
        {
            OnLost("its descriptor number belongs to another file");
            TryRestart();
        }
    }

    // Whether the loop watches a handler is asked of the loop itself: a report of the opposite may be late.
    private bool TryWatch()
    {
        try
        {
            if (Watch.Renew(_socket))
            {
                _isStarved = true;
                _owner.OnWatchedAgain(this);
            }

            _coalescer?.Renew();
            return true;
        }
        catch (NumaException exception)
        {
            ReportUnwatched(exception.Message);
            return false;
        }
    }

    private void ReportUnwatched(string error)
    {
        if (!_isReported)
        {
            _isReported = true;
            _owner.OnUnwatched(this, error);
        }
    }

    private long ReceiveAndCount()
    {
        _receiver.OnReady();
        return Counters.ReceivedDatagrams;
    }

    private void OnReceiveFailed(SysResult result)
    {
        Counters.OnReceiveError();
        _isStarved = true;
        _owner.OnReceiveFailed(this, result.ErrorName);
    }

    private void TryRestart()
    {
        try
        {
            Watch.Stop();
            Abandon();
            var socket = _owner.CreateReplacement(this);

            // Before it is watched: the first event must find it.
            (_cookie, _lastDrops) = (socket.GetCookie(), 0);
            Volatile.Write(ref _socket, socket);
            Watch.Start(socket);
        }
        catch (Exception exception) when (exception is SocketException or NumaException)
        {
            // Also a socket that cannot be watched.
            Abandon();
            if (!_isReported)
            {
                _isReported = true;
                _owner.OnRestartFailed(this, exception.Message);
            }

            return;
        }

        (_isLost, _isReported) = (false, false);
        Counters.OnRestarted();
        _owner.OnRestarted(this);
    }

    private void Abandon()
    {
        if (_socket.IsClosed)
        {
            return;
        }

        if (!IsOurs)
        {
            _socket.Disown();
            return;
        }

        _ = _socket.DropIncoming();
        _drops += _socket.Discard();
        ReadDrops();
        _socket.Dispose();
    }

    private long CountDrops()
    {
        lock (_lifetime)
        {
            if (!_isLost && IsThere)
            {
                ReadDrops();
            }

            return _drops;
        }
    }

    // The kernel's counter has 32 bits.
    private void ReadDrops()
    {
        if (_socket.GetDrops(out var drops).Succeeded)
        {
            _drops += unchecked(drops - _lastDrops);
            _lastDrops = drops;
        }
    }
}
