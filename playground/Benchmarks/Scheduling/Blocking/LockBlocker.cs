namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>A lock that the thread which made this holds.</summary>
internal sealed class LockBlocker : IBlocker
{
    private readonly object _lock = new();

    public LockBlocker() => Monitor.Enter(_lock);

    public void Block()
    {
        lock (_lock)
        {
        }
    }

    public void Release() => Monitor.Exit(_lock);
}
