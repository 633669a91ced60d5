using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>
/// Whether a worker should offer its CPU to others (sched_yield(2)) before it sleeps. Who is to wake it may wait for this CPU;
/// then the yield spares both of them a system call. But who gets the CPU may keep it for a whole slice, and what it queues at the
/// beginning waits for that long though another CPU is idle: then there is no yield for a while. With
/// <see cref="NumaSpinMode.LowCpu"/> there always is: what waits together is run by one wake-up. Owner only.
/// </summary>
internal struct YieldPredictor(NumaSpinMode mode)
{
    // Below a slice of the kernel's (sched(7): some milliseconds), above what an event loop does in one turn.
    private const int LateMicroseconds = 500;

    // The first pause, and the longest. One late yield of 3 ms a second delays 0.3 % of the items.
    private const int PauseMilliseconds = 16;
    private const int LongestPauseMilliseconds = 1024;
    private const int Factor = 4;

    private int _pauseMilliseconds;
    private long _pausedUntil;

    /// <summary>Whether it is time for a yield.</summary>
    public bool ShouldYield()
    {
        if (_pausedUntil == 0)
        {
            return true;
        }

        if (Stopwatch.GetTimestamp() < _pausedUntil)
        {
            return false;
        }

        _pausedUntil = 0;
        return true;
    }

    /// <summary>Records a yield during which there was a signal.</summary>
    /// <param name="signalledAt">When the signal came.</param>
    /// <param name="now">When the yield ended.</param>
    /// <param name="couldBeSooner">Whether who was signalled might have had another CPU meanwhile.</param>
    public void EndYield(long signalledAt, long now, bool couldBeSooner)
    {
        if (mode == NumaSpinMode.LowCpu)
        {
            return;
        }

        if (now - signalledAt <= Stopwatch.Frequency * LateMicroseconds / 1_000_000)
        {
            _pauseMilliseconds /= Factor;
        }
        else if (couldBeSooner)
        {
            _pauseMilliseconds = Math.Clamp(_pauseMilliseconds * Factor, PauseMilliseconds, LongestPauseMilliseconds);
            _pausedUntil = now + (Stopwatch.Frequency * _pauseMilliseconds / 1000);
        }
    }
}
