using System.Diagnostics;

namespace NumaSharp.Core;

/// <summary>A limit for several waits together, in real time.</summary>
internal readonly struct Deadline
{
    private readonly long _start;
    private readonly TimeSpan _limit;

    private Deadline(TimeSpan limit)
    {
        _start = Stopwatch.GetTimestamp();
        _limit = limit;
    }

    /// <summary>The time left: zero when it has passed, <see cref="Timeout.InfiniteTimeSpan"/> when it never does.</summary>
    public TimeSpan Left
    {
        get
        {
            if (_limit == Timeout.InfiniteTimeSpan)
            {
                return _limit;
            }

            var left = _limit - Stopwatch.GetElapsedTime(_start);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    public static Deadline In(TimeSpan limit) => new(limit);
}
