namespace NumaSharp.Tests.Core.Memory;

/// <summary>Timers that elapse when the test says so.</summary>
internal sealed class ManualTimers : TimeProvider
{
    private readonly List<Timer> _timers = [];

    public int Count => _timers.Count;

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new Timer(this, () => callback(state));
        _timers.Add(timer);
        return timer;
    }

    public void Elapse(int times = 1)
    {
        for (var i = 0; i < times; i++)
        {
            _timers.ToList().ForEach(static timer => timer.Callback());
        }
    }

    private sealed class Timer(ManualTimers owner, Action callback) : ITimer
    {
        public Action Callback => callback;

        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose() => owner._timers.Remove(this);

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
