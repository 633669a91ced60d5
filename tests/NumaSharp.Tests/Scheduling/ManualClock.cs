namespace NumaSharp.Tests.Scheduling;

/// <summary>Time that stands still until it is moved; due timers call back on the thread that moves it.</summary>
internal sealed class ManualClock : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];

    public TimeSpan Now { get; private set; }

    public override TimeZoneInfo LocalTimeZone { get; } =
        TimeZoneInfo.CreateCustomTimeZone("test", TimeSpan.FromHours(5), displayName: null, standardDisplayName: null);

    public override long TimestampFrequency => 1_000;

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch + Now;

    public override long GetTimestamp() => (long)Now.TotalMilliseconds;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    public void Advance(TimeSpan by)
    {
        var end = Now + by;
        while (_timers.Where(timer => timer.Due <= end).MinBy(static timer => timer.Due) is { } next)
        {
            Now = next.Due;
            next.Fire();
        }

        Now = end;
    }

    private sealed class ManualTimer(ManualClock clock, Action callback) : ITimer
    {
        private TimeSpan _period;
        private bool _isDisposed;

        public TimeSpan Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            clock._timers.Remove(this);
            if (_isDisposed)
            {
                return false;
            }

            _period = period;
            Start(dueTime);
            return true;
        }

        public void Fire()
        {
            clock._timers.Remove(this);
            Start(_period > TimeSpan.Zero ? _period : Timeout.InfiniteTimeSpan);
            callback();
        }

        public void Dispose()
        {
            _isDisposed = true;
            clock._timers.Remove(this);
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        private void Start(TimeSpan dueTime)
        {
            if (dueTime != Timeout.InfiniteTimeSpan)
            {
                Due = clock.Now + dueTime;
                clock._timers.Add(this);
            }
        }
    }
}
