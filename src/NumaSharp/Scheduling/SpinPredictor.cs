using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>
/// Whether a worker that runs out of work should look on for a moment before it sleeps: only while its last idle times were
/// mostly shorter than that moment. To sleep and be woken costs two system calls and a context switch; to spin in vain costs
/// a CPU that somebody else may need. Owner only.
/// </summary>
internal struct SpinPredictor
{
    private const int MaxScore = 16;
    private const int SpinFrom = 4;

    // What was waited longer than so many limits was idleness rather than bad luck.
    private const int LongFactor = 8;

    private static readonly long s_limitTicks = Stopwatch.Frequency * 20 / 1_000_000;

    private int _score;
    private long _idleSince;

    public readonly bool ShouldSpin => _score >= SpinFrom;

    public void BeginIdle() => _idleSince = Stopwatch.GetTimestamp();

    public readonly bool IsOver(long now) => now - _idleSince > s_limitTicks;

    /// <summary>Records when work came: not when the worker ran again, which is later by the cost of waking.</summary>
    public void EndIdle(long timestamp)
    {
        var idle = timestamp - _idleSince;
        var change = idle <= s_limitTicks ? 1 : idle <= s_limitTicks * LongFactor ? -2 : -4;
        _score = Math.Clamp(_score + change, 0, MaxScore);
    }
}
