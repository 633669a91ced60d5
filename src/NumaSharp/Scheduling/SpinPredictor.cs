using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>
/// Whether a worker that runs out of work should spin for a moment before it sleeps. With <see cref="NumaSpinMode.Adaptive"/>
/// only while its last idle times were mostly shorter than that moment: sleeping and waking costs two system calls and a context
/// switch; spinning in vain costs a CPU that another thread may need. Owner only.
/// </summary>
internal struct SpinPredictor
{
    private const int MaxScore = 16;
    private const int SpinFrom = 4;

    // About what a sleep and a wake-up cost both sides together: spinning for longer does not pay.
    private const int AdaptiveMicroseconds = 10;
    private const int LowLatencyMicroseconds = 200;

    // A wait longer than this many limits was idleness rather than bad luck.
    private const int LongFactor = 8;

    private readonly NumaSpinMode _mode;
    private readonly long _limitTicks;
    private int _score;
    private long _idleSince;

    public SpinPredictor(NumaSpinMode mode)
    {
        _mode = mode;
        var microseconds = mode == NumaSpinMode.LowLatency ? LowLatencyMicroseconds : AdaptiveMicroseconds;
        _limitTicks = Stopwatch.Frequency * microseconds / 1_000_000;
    }

    public readonly bool ShouldSpin => _mode switch
    {
        NumaSpinMode.LowLatency => true,
        NumaSpinMode.LowCpu => false,
        _ => _score >= SpinFrom,
    };

    public void BeginIdle(long now) => _idleSince = now;

    public readonly bool IsOver(long now) => now - _idleSince > _limitTicks;

    /// <summary>Records when work came: not when the worker ran again, which is later by the cost of waking.</summary>
    public void EndIdle(long timestamp)
    {
        var idle = timestamp - _idleSince;
        var change = idle <= _limitTicks ? 1 : idle <= _limitTicks * LongFactor ? -2 : -4;
        _score = Math.Clamp(_score + change, 0, MaxScore);
    }
}
