namespace NumaSharp.EventLoop;

/// <summary>How long a callback may keep its loop before another thread takes over.</summary>
internal static class StallThreshold
{
    private static readonly TimeSpan s_least = TimeSpan.FromMicroseconds(100);
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(10);

    /// <exception cref="ArgumentOutOfRangeException">It is not from 100 microseconds to 10 seconds.</exception>
    public static void Check(TimeSpan threshold, string name)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threshold, s_least, name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threshold, s_most, name);
    }

    /// <summary>Changes the threshold; the caller must synchronize.</summary>
    /// <exception cref="InvalidOperationException">There is no watchdog to use it: the current one is 0.</exception>
    public static void Change(ref TimeSpan current, TimeSpan threshold)
    {
        if (current == TimeSpan.Zero)
        {
            throw new InvalidOperationException("The loops have no watchdog: they were created with a StallThreshold of 0.");
        }

        current = threshold;
    }
}
