namespace NumaSharp.Core.Memory;

/// <summary>
/// Ticks at intervals, which may change; 0 is never. Does not keep its target alive: a target that is never disposed of keeps a
/// timer no longer than its next tick. Thread-safe.
/// </summary>
internal sealed class IntervalTimer : IDisposable
{
    private readonly WeakReference<ITimed> _target;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private TimeSpan _interval;
    private ITimer? _timer;
    private bool _isDisposed;

    // Re-armed after each tick: ticks of a periodic timer that could not run (the process was stopped, the machine suspended, a
    // tick took long) come in quick succession, and to the second trim everything looks idle.
    public IntervalTimer(ITimed target, TimeSpan interval, TimeProvider time)
    {
        _target = new WeakReference<ITimed>(target);
        _time = time;
        SetInterval(interval);
    }

    /// <summary>Refuses intervals that a timer cannot keep: below 1 ms it ticks once and never again.</summary>
    public static void CheckInterval(TimeSpan trimAfter)
    {
        if (trimAfter != TimeSpan.Zero && (trimAfter < TimeSpan.FromMilliseconds(1) || trimAfter > TimeSpan.FromDays(49)))
        {
            throw new ArgumentOutOfRangeException(
                nameof(trimAfter), trimAfter, "TrimAfter must be 0, or from 1 ms to 49 days.");
        }
    }

    /// <summary>The next tick comes after that time.</summary>
    public void SetInterval(TimeSpan interval)
    {
        lock (_lock)
        {
            _interval = interval;
            if (!_isDisposed && interval > TimeSpan.Zero)
            {
                _timer ??= _time.CreateTimer(
                    static state => ((IntervalTimer)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            }

            Arm();
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    private void Arm()
    {
        if (!_isDisposed)
        {
            _timer?.Change(_interval > TimeSpan.Zero ? _interval : Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }
    }

    // Without the lock meanwhile: the target disposes of this with its own lock held.
    private void Tick()
    {
        if (!_target.TryGetTarget(out var target))
        {
            Dispose();
            return;
        }

        target.OnTick();
        lock (_lock)
        {
            Arm();
        }
    }
}

/// <summary>Does something whenever an <see cref="IntervalTimer"/> ticks.</summary>
internal interface ITimed
{
    void OnTick();
}
