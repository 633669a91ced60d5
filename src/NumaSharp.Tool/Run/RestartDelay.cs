namespace NumaSharp.Tool.Run;

/// <summary>The wait before a restart: doubles each time up to a limit, and starts over after a healthy run.</summary>
/// <param name="first">The first wait.</param>
/// <param name="limit">The longest wait, and how long a run must last to count as healthy.</param>
internal sealed class RestartDelay(TimeSpan first, TimeSpan limit)
{
    private TimeSpan? _next;

    /// <summary>The wait after a run.</summary>
    /// <param name="ran">How long the run lasted.</param>
    public TimeSpan After(TimeSpan ran)
    {
        var delay = ran < limit && _next is { } next ? next : first;
        _next = delay < limit / 2 ? delay * 2 : limit;
        return delay;
    }
}
