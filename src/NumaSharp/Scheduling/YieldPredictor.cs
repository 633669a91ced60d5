using System.Diagnostics;

namespace NumaSharp.Scheduling;

/// <summary>
/// Whether a worker should yield its CPU (sched_yield(2)) before it sleeps. The thread that is to wake it may wait for this CPU;
/// then the yield saves both of them a system call. But a thread that gets the CPU may keep it for a whole slice, and what it
/// queues at the beginning waits for that long though another CPU is idle: then yields pause for a while. With
/// <see cref="NumaSpinMode.LowCpu"/> it always yields: what waits together is run by one wake-up. Owner only.
/// </summary>
internal struct YieldPredictor(NumaSpinMode mode)
{
    // Below a slice of the kernel's (sched(7): some milliseconds), above what an event loop does in one turn.
    private const int LateMicroseconds = 500;

    // About what a sleep and a wake-up cost both sides together.
    private const int WakeUpMicroseconds = 10;

    // The first pause, and the longest. One late yield of 3 ms a second delays 0.3 % of the items.
    private const int PauseMilliseconds = 16;
    private const int LongestPauseMilliseconds = 1024;
    private const int Factor = 4;

    private int _pauseMilliseconds;
    private long _pausedUntil;

    /// <summary>Whether it is time for a yield.</summary>
    public bool ShouldYield() => _pausedUntil == 0 || ShouldYield(Stopwatch.GetTimestamp());

    /// <summary>Whether it is time for a yield.</summary>
    /// <param name="now">The time, in ticks of the <see cref="Stopwatch"/>.</param>
    public bool ShouldYield(long now)
    {
        if (now < _pausedUntil)
        {
            return false;
        }

        _pausedUntil = 0;
        return true;
    }

    /// <summary>Records a yield during which a signal came: the worker saw it only afterwards.</summary>
    /// <param name="waited">For how long, in ticks of the <see cref="Stopwatch"/>.</param>
    /// <returns>Whether that was too long; never in the mode that always yields.</returns>
    public bool EndYield(long waited)
    {
        if (mode == NumaSpinMode.LowCpu)
        {
            return false;
        }

        if (waited > TicksOf(LateMicroseconds))
        {
            return true;
        }

        _pauseMilliseconds /= Factor;
        return false;
    }

    /// <summary>
    /// Whether the items that came during a long yield should have woken a worker: so few that sleeping and waking after each
    /// would have kept up with them. More than that run sooner without interruptions.
    /// </summary>
    public static bool WasWorthWaking(long waited, long items) => items * TicksOf(WakeUpMicroseconds) < waited;

    /// <summary>Pauses yields for a while, after one that has delayed something.</summary>
    public void Pause(long now)
    {
        _pauseMilliseconds = Math.Clamp(_pauseMilliseconds * Factor, PauseMilliseconds, LongestPauseMilliseconds);
        _pausedUntil = now + TicksOf(_pauseMilliseconds * 1000L);
    }

    private static long TicksOf(long microseconds) => Stopwatch.Frequency * microseconds / 1_000_000;
}
