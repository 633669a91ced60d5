namespace NumaSharp.Tests.Core.Memory;

/// <summary>Time that passes when a test says so; timers tick on the test's thread.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];
    private TimeSpan _now;

    public int TimerCount => _timers.Count;

    /// <summary>After how long the only timer was asked to tick.</summary>
    public TimeSpan Interval => Assert.Single(_timers).Interval;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        _timers.Add(timer);
        return timer;
    }

    /// <summary>
    /// Lets so many intervals pass at once, as when the process was stopped meanwhile: what is overdue comes then.
    /// </summary>
    public void Tick(int intervals = 1)
    {
        _now += intervals * _timers.Max(static timer => timer.Interval);
        foreach (var timer in _timers.ToArray())
        {
            timer.RunOverdue();
        }
    }

    private sealed class ManualTimer(ManualTime owner, Action callback) : ITimer
    {
        private TimeSpan? _due;
        private TimeSpan _period;

        public TimeSpan Interval { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            (Interval, _period) = (dueTime, period);
            _due = dueTime == Timeout.InfiniteTimeSpan ? null : owner._now + dueTime;
            return true;
        }

        public void RunOverdue()
        {
            while (_due <= owner._now)
            {
                _due = _period == Timeout.InfiniteTimeSpan ? null : _due + _period;
                callback();
            }
        }

        public void Dispose() => owner._timers.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
