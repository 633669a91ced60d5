namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Makes an allocator's threads check about once a second where they run, as long as any allocates: an idle process has no timer
/// for it. Thread-safe.
/// </summary>
internal sealed class HomeTimer : ITimed, IDisposable
{
    // Less than a second, for which the library's own timers are exact (BackgroundTime).
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(900);

    private readonly NumaAllocator _allocator;
    private readonly IntervalTimer _timer;
    private readonly Lock _lock = new();
    private bool _isArmed;
    private bool _wasUsed;

    public HomeTimer(NumaAllocator allocator, TimeProvider time, NumaFallbacks fallbacks)
    {
        _allocator = allocator;
        _timer = new IntervalTimer(this, TimeSpan.Zero, time, fallbacks);
    }

    /// <summary>For a thread that has just checked where it runs: it need not check again until the next tick.</summary>
    /// <returns>False: there is no thread for the timer, or this one was interrupted. Try again later.</returns>
    public bool TryArm()
    {
        // Neither Allocate nor Free must fail because of this check.
        try
        {
            lock (_lock)
            {
                _wasUsed = true;
                if (!_isArmed)
                {
                    _timer.SetInterval(s_interval);
                    _isArmed = true;
                }

                return true;
            }
        }
        catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
        {
            return false;
        }
        catch (ThreadInterruptedException)
        {
            Interruption.Restore(isInterrupted: true);
            return false;
        }
    }

    public void Dispose() => _timer.Dispose();

    void ITimed.OnTick()
    {
        lock (_lock)
        {
            if (!_wasUsed)
            {
                // No thread has checked since the last tick: the first to allocate checks, and asks for the next one.
                _isArmed = false;
                _timer.SetInterval(TimeSpan.Zero);
                return;
            }

            _wasUsed = false;
        }

        _allocator.RefreshHomeNodes();
    }
}
