using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Time.Testing;

namespace NumaSharp.TestKit;

/// <summary>
/// Time that stands still until a test moves it (<see cref="FakeTimeProvider.Advance"/>); timers that become due call back on
/// that thread. It also lists its timers.
/// </summary>
public sealed class ManualTime : FakeTimeProvider
{
    private readonly ConcurrentDictionary<Timer, bool> _timers = new();
    private Action? _onNextReading;
    private Action? _onNextTimerCall;

    /// <summary>How many timers there are that were not disposed of.</summary>
    public int TimerCount => _timers.Count;

    /// <summary>How many timers there may be: one more is refused, as by a system that has no thread for it.</summary>
    public int MaxTimers { get; set; } = int.MaxValue;

    /// <summary>Called once, before the next timestamp is read, on the thread that reads it.</summary>
    public Action? OnNextReading
    {
        get => _onNextReading;
        set => _onNextReading = value;
    }

    /// <summary>Called once, before the next timer is made, changed or disposed of, on the thread that does it.</summary>
    public Action? OnNextTimerCall
    {
        get => _onNextTimerCall;
        set => _onNextTimerCall = value;
    }

    /// <summary>What the only timer was last set to: the time until it is due.</summary>
    public TimeSpan Interval => Assert.Single(_timers).Key.DueTime;

    /// <summary>Every due time that timers were set to after they were made, in order.</summary>
    public ConcurrentQueue<TimeSpan> Changes { get; } = new();

    /// <summary>
    /// Lets so many intervals of the slowest timer pass, as <see cref="FakeTimeProvider.Advance"/> does.
    /// </summary>
    public void Tick(int intervals = 1) => Advance(intervals * _timers.Max(static timer => timer.Key.DueTime));

    /// <summary>Lets intervals pass one by one, so that a timer which its callback sets again elapses in each.</summary>
    public void TickEach(int times)
    {
        for (var i = 0; i < times; i++)
        {
            Tick();
        }
    }

    public override long GetTimestamp()
    {
        CallOnce(ref _onNextReading);
        return base.GetTimestamp();
    }

    [SuppressMessage("Usage", "CA2201", Justification = "It stands for what the runtime throws.")]
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        CallOnce(ref _onNextTimerCall);
        if (TimerCount >= MaxTimers)
        {
            throw new OutOfMemoryException("No thread for a timer.");
        }

        var timer = new Timer(this, base.CreateTimer(callback, state, dueTime, period), dueTime);
        _timers[timer] = true;
        return timer;
    }

    // Of several threads that come at once, one makes the call.
    private static void CallOnce(ref Action? call) => Interlocked.Exchange(ref call, null)?.Invoke();

    private sealed class Timer(ManualTime owner, ITimer inner, TimeSpan dueTime) : ITimer
    {
        public TimeSpan DueTime { get; private set; } = dueTime;

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            CallOnce(ref owner._onNextTimerCall);
            DueTime = dueTime;
            owner.Changes.Enqueue(dueTime);
            return inner.Change(dueTime, period);
        }

        public void Dispose()
        {
            CallOnce(ref owner._onNextTimerCall);
            owner._timers.TryRemove(this, out _);
            inner.Dispose();
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
