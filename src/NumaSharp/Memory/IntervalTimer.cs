namespace NumaSharp.Core.Memory;

/// <summary>
/// Ticks at intervals, which may change; 0 is never. Does not keep its target alive: a target that is never disposed of keeps a
/// timer no longer than its next tick. A tick that throws is reported, and followed by the next one. Thread-safe.
/// </summary>
internal sealed class IntervalTimer : IDisposable
{
    private readonly WeakReference<ITimed> _target;
    private readonly TimeProvider _time;
    private readonly NumaFallbacks _fallbacks;
    private readonly Lock _lock = new();
    private TimeSpan _interval;
    private ITimer? _timer;
    private bool _isDisposed;

    // Re-armed after each tick: ticks of a periodic timer that could not run (the process was stopped, the machine suspended, a
    // tick took long) come in quick succession, and to the second trim everything looks idle.
    public IntervalTimer(ITimed target, TimeSpan interval, TimeProvider time, NumaFallbacks fallbacks)
    {
        _target = new WeakReference<ITimed>(target);
        _time = time;
        _fallbacks = fallbacks;
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

    // The target is called without the lock: it disposes of this with its own lock held.
    private void Tick()
    {
        if (!_target.TryGetTarget(out var target))
        {
            Dispose();
            return;
        }

        try
        {
            target.OnTick();
        }
        catch (Exception exception)
        {
            // A memory provider's. The timer's thread has no caller to throw it to.
            ProviderErrors.Report(_fallbacks, exception);
        }

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

/// <summary>
/// Exceptions of memory providers on threads that have no caller: unhandled there, they would end the process.
/// </summary>
internal static class ProviderErrors
{
    public static void Report(NumaFallbacks fallbacks, Exception exception) => fallbacks.Report(new NumaFallback(
        FallbackCatalog.MemoryRelease,
        $"The memory provider threw while free memory was returned to the system. {exception.GetType().Name}: "
        + exception.Message));
}
