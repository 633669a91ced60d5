namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Asks for a trim at intervals. Does not keep what is trimmed alive: who forgets to dispose of it keeps a timer no longer
/// than its next tick.
/// </summary>
internal sealed class IdleTrimmer : IDisposable
{
    private readonly WeakReference<ITrimmable> _target;
    private readonly ITimer _timer;

    public IdleTrimmer(ITrimmable target, TimeSpan interval, TimeProvider time)
    {
        _target = new WeakReference<ITrimmable>(target);
        _timer = time.CreateTimer(static state => ((IdleTrimmer)state!).Tick(), this, interval, interval);
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

    private void Tick()
    {
        if (_target.TryGetTarget(out var target))
        {
            target.TrimIdle();
        }
        else
        {
            _timer.Dispose();
        }
    }
}
