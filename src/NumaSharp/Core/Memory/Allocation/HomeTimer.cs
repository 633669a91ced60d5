namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// Makes an allocator's threads check about once a second where they run, as long as any allocates: an idle process has no timer
/// for it. Does not keep the allocator alive. Thread-safe.
/// </summary>
internal sealed class HomeTimer(NumaAllocator allocator, TimeProvider time) : IDisposable
{
    // Less than a second, for which the library's own timers are exact (BackgroundTime).
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(900);

    private readonly WeakReference<NumaAllocator> _target = new(allocator);
    private readonly Lock _lock = new();
    private ITimer? _timer;
    private bool _isArmed;
    private bool _isNeeded;
    private bool _isDisposed;

    /// <summary>A thread has just checked, and may use the result until the next tick.</summary>
    /// <returns>False: there is no thread for the timer. Try again later.</returns>
    public bool TryNeed()
    {
        lock (_lock)
        {
            try
            {
                _isNeeded = true;
                if (!_isArmed)
                {
                    Arm();
                }

                return true;
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                // Neither Allocate nor Free must fail because of this check.
                return false;
            }
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
        if (_isDisposed)
        {
            return;
        }

        _timer ??= time.CreateTimer(
            static state => ((HomeTimer)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(s_interval, Timeout.InfiniteTimeSpan);
        _isArmed = true;
    }

    private void Tick()
    {
        if (!_target.TryGetTarget(out var target))
        {
            Dispose();
            return;
        }

        lock (_lock)
        {
            _isArmed = false;
            if (!_isNeeded)
            {
                // No thread has checked since the last tick: the first to allocate checks, and asks for the next one.
                return;
            }

            _isNeeded = false;
            Arm();
        }

        target.SendThreadsHome();
    }
}
