namespace NumaSharp.Core.Memory;

/// <summary>
/// Renews free memory after a change of nodes: at once, and then less and less often, until no memory in use has old pages.
/// Thread-safe.
/// </summary>
internal sealed class RenewalTimer : ITimed, IDisposable
{
    private static readonly TimeSpan s_first = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(64);

    private readonly Func<bool> _renew;
    private readonly Lock _moving;
    private readonly IntervalTimer _timer;
    private TimeSpan _next;

    /// <param name="renew">Renews free memory, and returns whether something in use has old pages.</param>
    /// <param name="moving">The lock that is held while memory is renewed, and while the nodes change.</param>
    /// <param name="time">The clock.</param>
    /// <param name="fallbacks">Receives what a memory provider throws.</param>
    public RenewalTimer(Func<bool> renew, Lock moving, TimeProvider time, NumaFallbacks fallbacks)
    {
        (_renew, _moving) = (renew, moving);
        _timer = new IntervalTimer(this, TimeSpan.Zero, time, fallbacks);
    }

    /// <summary>The nodes have changed. Called with the lock held.</summary>
    public void Start()
    {
        _next = s_first;
        Renew();
    }

    void ITimed.OnTick()
    {
        lock (_moving)
        {
            _next = TimeSpan.FromTicks(Math.Min(2 * _next.Ticks, s_longest.Ticks));
            Renew();
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Renew()
    {
        // Whatever a provider throws: what is left is tried again.
        var isNeeded = true;
        try
        {
            isNeeded = _renew();
        }
        finally
        {
            SetInterval(isNeeded ? _next : TimeSpan.Zero);
        }
    }

    private void SetInterval(TimeSpan interval)
    {
        try
        {
            _timer.SetInterval(interval);
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            // No thread for a timer: memory that is returned keeps its old pages until the next change, or a trim.
        }
    }
}
