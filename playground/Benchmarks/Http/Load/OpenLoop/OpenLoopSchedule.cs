using System.Diagnostics;

namespace NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

/// <summary>When each request is due: at a constant rate from the start on, in ticks of <see cref="Stopwatch"/>.</summary>
internal sealed class OpenLoopSchedule
{
    private readonly long _start;
    private readonly long _end;
    private readonly double _ticksBetween;
    private long _taken;

    public OpenLoopSchedule(long start, TimeSpan length, int requestsPerSecond)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(requestsPerSecond);
        _start = start;
        _end = start + (long)(length.TotalSeconds * Stopwatch.Frequency);
        _ticksBetween = (double)Stopwatch.Frequency / requestsPerSecond;
    }

    /// <summary>Whether no request is left.</summary>
    public bool IsOver => Due >= _end;

    /// <summary>When the next request is due.</summary>
    // From the count, not by adding up: no rounding error grows.
    public long Due => _start + (long)(_taken * _ticksBetween);

    /// <summary>Takes the next request that is due by now.</summary>
    public bool TryTake(long now, out long due)
    {
        due = Due;
        if (due > now || due >= _end)
        {
            return false;
        }

        _taken++;
        return true;
    }
}
