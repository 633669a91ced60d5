using System.Collections.Concurrent;

namespace NumaSharp.Transport.Epoll.Tests;

/// <summary>Time that passes when a test says so. Timers call back on the test's thread, once when they are due.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly ConcurrentDictionary<Timer, bool> _timers = new();
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    public void Advance(TimeSpan by)
    {
        var now = Interlocked.Add(ref _ticks, by.Ticks);
        foreach (var (timer, _) in _timers)
        {
            timer.ElapseIfDue(now);
        }
    }

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Assert.Equal(Timeout.InfiniteTimeSpan, period);
        var timer = new Timer(this, () => callback(state));
        timer.Change(dueTime, period);
        _timers[timer] = true;
        return timer;
    }

    private sealed class Timer(ManualTime time, Action callback) : ITimer
    {
        private long _due;

        public void ElapseIfDue(long now)
        {
            var due = Volatile.Read(ref _due);
            if (due <= now && Interlocked.CompareExchange(ref _due, long.MaxValue, due) == due)
            {
                callback();
            }
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            Volatile.Write(ref _due, dueTime == Timeout.InfiniteTimeSpan ? long.MaxValue : time.GetTimestamp() + dueTime.Ticks);
            return true;
        }

        public void Dispose() => time._timers.TryRemove(this, out _);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
