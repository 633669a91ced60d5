using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Sockets;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Shards;

/// <summary>
/// Delays datagrams at a high, even rate so that they arrive together: while they are closer than the delay, the socket's events
/// are off, and a timer checks it once per delay. Before that, and after ticks with fewer than two, each datagram is an event.
/// </summary>
/// <remarks>
/// An even stream costs a wake-up, an epoll_wait and a recvmmsg per datagram; with ticks all datagrams of the delay share them.
/// In a thin stream each datagram would cost two wake-ups instead of one, and wait for nothing.
/// </remarks>
internal sealed class Coalescer : EventLoopHandler, IDisposable
{
    // Close events in a row that start it, and poor ticks in a row that end it: neither a pair nor a gap is a rate.
    internal const int CloseOnes = 8;
    internal const int PoorTicks = 4;

    private readonly Lock _lock = new();
    private readonly NumaEventLoop _loop;
    private readonly ShardWatch _watch;
    private readonly Func<long> _receive;
    private readonly TimeSpan _delay;
    private readonly TimeProvider _time;
    private readonly CoalesceTimer _timer;
    private long _lastEvent;
    private long _lastCount;
    private int _streak;
    private bool _isTicking;
    private bool _isDisposed;

    /// <param name="loop">The shard's loop.</param>
    /// <param name="user">The factory, as the loop knows it.</param>
    /// <param name="watch">The shard's watch of its socket.</param>
    /// <param name="delay">How long a datagram may wait.</param>
    /// <param name="receive">Receives available datagrams, and returns the total number received.</param>
    /// <param name="time">The clock for the spacing of datagrams; set by tests, <see langword="null"/> for the system's.</param>
    /// <exception cref="System.Net.Sockets.SocketException">No timer could be created.</exception>
    /// <exception cref="NumaException">The loop cannot watch the timer.</exception>
    public Coalescer(
        NumaEventLoop loop,
        LoopUser? user,
        ShardWatch watch,
        TimeSpan delay,
        Func<long> receive,
        TimeProvider? time = null)
    {
        User = user;
        SocketFailure.ThrowIfFailed(CoalesceTimer.Create(out var timer), "timerfd_create");
        _timer = timer!;
        (_loop, _watch, _delay, _receive) = (loop, watch, delay, receive);
        _time = time ?? TimeProvider.System;
        try
        {
            loop.Register(_timer, this, EventLoopEvents.Readable);
        }
        catch
        {
            _timer.Dispose();
            throw;
        }
    }

    internal override LoopUser? User { get; }

    /// <summary>Datagrams have arrived.</summary>
    public void OnEvent()
    {
        _lastCount = _receive();
        lock (_lock)
        {
            var now = _time.GetTimestamp();
            _streak = _time.GetElapsedTime(_lastEvent, now) < _delay ? _streak + 1 : 0;
            _lastEvent = now;
            if (_streak >= CloseOnes && !_isTicking && !_isDisposed && Slot != 0 && _timer.FireAfter(_delay).Succeeded)
            {
                _isTicking = true;
                _streak = 0;
                _watch.Pause(true);
            }
        }
    }

    /// <summary>
    /// Stops delaying: datagrams are events again. For a tick with a hanging receive, which does not set the next tick.
    /// </summary>
    public void Resume()
    {
        lock (_lock)
        {
            EndTicking();
        }
    }

    /// <summary>Watches the timer that a rebuilt loop could not watch; until then every datagram is an event.</summary>
    /// <exception cref="NumaException">The loop still cannot.</exception>
    public void Renew()
    {
        lock (_lock)
        {
            if (!_isDisposed && Slot == 0)
            {
                EndTicking();
                _loop.Register(_timer, this, EventLoopEvents.Readable);
            }
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _loop.Unregister(this);
            _timer.Dispose();
        }
    }

    public override string ToString() => "a datagram timer";

    protected internal override void OnReady(EventLoopEvents events)
    {
        var count = _receive();
        lock (_lock)
        {
            if (!_isTicking || _isDisposed)
            {
                return;
            }

            _streak = count - _lastCount < 2 ? _streak + 1 : 0;
            _lastCount = count;

            // Without a next tick, for whatever reason, datagrams must be events again.
            if (_streak >= PoorTicks || !_timer.FireAfter(_delay).Succeeded)
            {
                End();
            }
        }
    }

    // No tick comes any more: datagrams must be events again.
    protected internal override void OnUnwatched(NumaException reason) => Resume();

    private void EndTicking()
    {
        if (_isTicking && !_isDisposed)
        {
            End();
        }
    }

    // Called with the lock held.
    private void End()
    {
        _isTicking = false;
        _streak = 0;
        _watch.Pause(false);
    }
}

/// <summary>Owns a timer that expires as an event on a loop (timerfd_create(2)); watched edge-triggered, never read.</summary>
internal sealed unsafe class CoalesceTimer : FileDescriptorHandle
{
    private CoalesceTimer(int descriptor)
        : base(descriptor)
    {
    }

    public static SysResult Create(out CoalesceTimer? timer)
    {
        var result = SysResult.FromReturn(
            UdpCalls.CreateTimer(UdpCalls.CLOCK_MONOTONIC, UdpCalls.TFD_NONBLOCK | UdpCalls.TFD_CLOEXEC));
        timer = result.Succeeded ? new CoalesceTimer((int)result.Value) : null;
        return result;
    }

    /// <summary>Fires once, after a delay. A periodic timer would have to be read each time.</summary>
    public SysResult FireAfter(TimeSpan delay)
    {
        var value = new UdpCalls.TimerSpecification
        {
            FirstSeconds = delay.Ticks / TimeSpan.TicksPerSecond,
            FirstNanoseconds = delay.Ticks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick,
        };
        return SysResult.FromReturn(UdpCalls.SetTimer(Number, 0, &value, previous: null));
    }
}
