namespace NumaSharp.Tests.Core.Memory;

/// <summary>Time that passes when a test says so: each timer ticks once per <see cref="Tick"/>, on the test's thread.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];

    public int TimerCount => _timers.Count;

    /// <summary>The interval of the only timer.</summary>
    public TimeSpan Period => Assert.Single(_timers).Period;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        Assert.Equal(dueTime, period);
        var timer = new ManualTimer(this, () => callback(state), period);
        _timers.Add(timer);
        return timer;
    }

    public void Tick()
    {
        foreach (var timer in _timers.ToArray())
        {
            timer.Callback();
        }
    }

    private sealed record ManualTimer(ManualTime Owner, Action Callback, TimeSpan Period) : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => throw new NotSupportedException();

        public void Dispose() => Owner._timers.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
