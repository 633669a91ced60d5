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
