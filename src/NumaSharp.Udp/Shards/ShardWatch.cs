using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Shards;

/// <summary>
/// The events a shard's loop watches its socket for: always edge-triggered; EPOLLOUT only while a send waits for room, because
/// every datagram that leaves causes one. Thread-safe.
/// </summary>
/// <param name="loop">The loop.</param>
/// <param name="handler">Receives the events.</param>
internal sealed class ShardWatch(NumaEventLoop loop, EventLoopHandler handler)
{
    private readonly Lock _lock = new();
    private DatagramSocket? _socket;
    private EventLoopEvents _events = EventLoopEvents.Readable;
    private bool _sends;
    private bool _replies;
    private bool _isPaused;

    /// <summary>Whether datagrams cause no events.</summary>
    public bool IsPaused
    {
        get
        {
            lock (_lock)
            {
                return _isPaused;
            }
        }
    }

    /// <exception cref="NumaException">The loop cannot watch the socket.</exception>
    public void Start(DatagramSocket socket)
    {
        lock (_lock)
        {
            loop.Register(socket, handler, _events);
            _socket = socket;
        }
    }

    /// <summary>Watches a socket that a rebuilt loop could not watch; false if the loop does watch it.</summary>
    /// <exception cref="NumaException">The loop still cannot.</exception>
    public bool Renew(DatagramSocket socket)
    {
        lock (_lock)
        {
            if (handler.Slot != 0)
            {
                return false;
            }

            loop.Register(socket, handler, _events);
            _socket = socket;
            return true;
        }
    }

    public void Stop()
    {
        lock (_lock)
        {
            loop.Unregister(handler);
            _socket = null;
        }
    }

    /// <summary>Whether a pending send needs room.</summary>
    public void WaitForSends(bool wait)
    {
        lock (_lock)
        {
            // A new wait needs an event, though the socket may be watched for room already, for replies: it may have room by now.
            var isNew = wait && !_sends;
            _sends = wait;
            Change(isNew);
        }
    }

    /// <summary>Whether a handler's replies need room.</summary>
    public void WaitForReplies(bool wait)
    {
        lock (_lock)
        {
            var isNew = wait && !_replies;
            _replies = wait;
            Change(isNew);
        }
    }

    /// <summary>Whether datagrams cause no events, because a timer checks the socket anyway.</summary>
    public void Pause(bool pause)
    {
        lock (_lock)
        {
            _isPaused = pause;
            Change();
        }
    }

    private void Change(bool needsEvent = false)
    {
        var events = (_isPaused ? EventLoopEvents.None : EventLoopEvents.Readable)
            | (_sends || _replies ? EventLoopEvents.Writable : EventLoopEvents.None);
        if (events == _events && !needsEvent)
        {
            return;
        }

        _events = events;
        if (_socket is null)
        {
            return;
        }

        try
        {
            loop.Modify(_socket, handler, events);
        }
        catch (Exception exception) when (exception is NumaException or InvalidOperationException)
        {
            // The socket is lost: its replacement is watched for these events.
        }
    }
}

/// <summary>Forwards the events of a shard's loop.</summary>
/// <param name="shard">The shard.</param>
internal sealed class ShardEvents(NumaUdpShard shard) : EventLoopHandler
{
    internal override LoopUser User => shard.User;

    public override string ToString() => $"a datagram handler of {shard.LocalEndPoint}";

    protected internal override void OnReady(EventLoopEvents events) => shard.OnReady(events);

    protected internal override void OnUnwatched(NumaException reason) => shard.OnUnwatched(reason.Message);
}
