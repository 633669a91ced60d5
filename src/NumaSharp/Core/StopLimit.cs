namespace NumaSharp.Core;

/// <summary>
/// What a host that stops has left of its time (<c>HostOptions.ShutdownTimeout</c>): whatever it disposes of afterwards waits for
/// threads no longer than that, and leaves behind those that do not end. Until the host stops, each wait has its own limit.
/// Thread-safe.
/// </summary>
internal sealed class StopLimit(TimeProvider time)
{
    /// <summary>What there is always. A thread that has nothing to do ends within it, and does not count as stuck.</summary>
    internal static readonly TimeSpan Least = TimeSpan.FromMilliseconds(50);

    private readonly Lock _lock = new();
    private TimeSpan _limit = Timeout.InfiniteTimeSpan;
    private long _start;

    /// <summary>The time runs from now on; <see cref="Timeout.InfiniteTimeSpan"/>: there is no limit.</summary>
    public void Begin(TimeSpan limit)
    {
        lock (_lock)
        {
            _start = time.GetTimestamp();
            _limit = limit;
        }
    }

    /// <summary>How long something may wait that waits so long without a host.</summary>
    public TimeSpan Of(TimeSpan own)
    {
        lock (_lock)
        {
            if (_limit == Timeout.InfiniteTimeSpan)
            {
                return own;
            }

            var left = _limit - time.GetElapsedTime(_start);
            left = left > Least ? left : Least;
            return own == Timeout.InfiniteTimeSpan || own > left ? left : own;
        }
    }
}
