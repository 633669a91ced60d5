namespace NumaSharp.Playground.Benchmarks.Scheduling.Loads;

/// <summary>Where the driver sleeps until the last of so many has come.</summary>
internal sealed class Gate
{
    private readonly object _lock = new();
    private int _missing;
    private bool _isOpen;

    public void Close(int missing)
    {
        (_missing, _isOpen) = (missing, false);
        Thread.MemoryBarrier();
    }

    /// <summary>One has come.</summary>
    /// <returns>Whether it is the last one, which must call <see cref="Open"/>.</returns>
    public bool Arrive() => Interlocked.Decrement(ref _missing) == 0;

    public void Open()
    {
        lock (_lock)
        {
            _isOpen = true;
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>Waits without spinning: the driver is not part of what is measured.</summary>
    public void Wait()
    {
        lock (_lock)
        {
            while (!_isOpen)
            {
                Monitor.Wait(_lock);
            }
        }
    }
}
