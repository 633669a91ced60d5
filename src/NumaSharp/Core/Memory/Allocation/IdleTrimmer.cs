namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Asks for a trim at intervals. Does not keep what is trimmed alive: who forgets to dispose of it keeps a timer no longer
/// than its next tick.
/// </summary>
internal sealed class IdleTrimmer : IDisposable
{
    private readonly WeakReference<ITrimmable> _target;
    private readonly TimeSpan _interval;
    private readonly ITimer _timer;

    // Set anew after each tick: those of a periodic timer that could not run (the process was stopped, the machine suspended, a
    // trim took long) come one upon the other, and to the second one everything looks idle.
    public IdleTrimmer(ITrimmable target, TimeSpan interval, TimeProvider time)
    {
        _target = new WeakReference<ITrimmable>(target);
        _interval = interval;
        _timer = time.CreateTimer(
            static state => ((IdleTrimmer)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        SetTimer();
    }

    /// <summary>Refuses what a timer cannot keep: below 1 ms it ticks once and never again.</summary>
    public static void CheckInterval(TimeSpan trimAfter)
    {
        if (trimAfter != TimeSpan.Zero && (trimAfter < TimeSpan.FromMilliseconds(1) || trimAfter > TimeSpan.FromDays(49)))
        {
            throw new ArgumentOutOfRangeException(
                nameof(trimAfter), trimAfter, "TrimAfter must be 0, or from 1 ms to 49 days.");
        }
    }

    public void Dispose() => _timer.Dispose();

    private void SetTimer() => _timer.Change(_interval, Timeout.InfiniteTimeSpan);

    private void Tick()
    {
        if (_target.TryGetTarget(out var target))
        {
            target.TrimIdle();
            SetTimer();
        }
        else
        {
            _timer.Dispose();
        }
    }
}
