namespace NumaSharp.Core;

/// <summary>
/// The rest of a stopping host's time (<c>HostOptions.ShutdownTimeout</c>): everything it disposes of afterwards waits for
/// threads no longer than that, and leaves behind those that do not end. Until the host stops, each wait has its own limit.
/// Thread-safe.
/// </summary>
internal sealed class StopLimit(TimeProvider time)
{
    /// <summary>The minimum. An idle thread ends within it, and does not count as stuck.</summary>
    internal static readonly TimeSpan Least = TimeSpan.FromMilliseconds(50);

    // The system's waits end at about 24 days.
    private static readonly TimeSpan s_most = TimeSpan.FromDays(1);

    // Replaced as a whole: no lock is held over the clock, which may be the application's.
    private Limit? _limit;

    /// <summary>Starts the time; <see cref="Timeout.InfiniteTimeSpan"/>: there is no limit.</summary>
    public void Begin(TimeSpan limit) =>
        Volatile.Write(ref _limit, limit == Timeout.InfiniteTimeSpan ? null : new Limit(limit, time.GetTimestamp()));

    /// <summary>The limit of a wait that without a host would be <paramref name="own"/>.</summary>
    public TimeSpan Of(TimeSpan own)
    {
        if (Volatile.Read(ref _limit) is not { } limit)
        {
            return own;
        }

        var left = limit.Time - time.GetElapsedTime(limit.Start);
        left = TimeSpan.FromTicks(Math.Clamp(left.Ticks, Least.Ticks, s_most.Ticks));
        return own == Timeout.InfiniteTimeSpan || own > left ? left : own;
    }

    private sealed record Limit(TimeSpan Time, long Start);
}
