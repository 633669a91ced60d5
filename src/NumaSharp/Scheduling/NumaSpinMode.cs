namespace NumaSharp.Scheduling;

/// <summary>
/// What a worker does when it runs out of work: spin for a moment, which costs CPU time, or sleep, which costs the thread that
/// queues the next item a system call and the item some ten microseconds. At most one worker per node spins at a time.
/// </summary>
public enum NumaSpinMode
{
    /// <summary>Spins for up to 10 microseconds, while work has mostly come sooner than that.</summary>
    Adaptive,

    /// <summary>Always spins, for up to 200 microseconds: items start sooner, and an idle moment costs a CPU.</summary>
    LowLatency,

    /// <summary>
    /// Sleeps at once, but always yields its CPU to other threads first: items that they queue meanwhile wait until the CPU is
    /// free again, at most a slice of the kernel's scheduler (some milliseconds), and are then run by one wake-up.
    /// </summary>
    LowCpu,
}
