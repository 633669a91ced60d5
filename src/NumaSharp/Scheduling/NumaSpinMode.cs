namespace NumaSharp.Scheduling;

/// <summary>
/// What a worker does when it runs out of work: look on for a moment, which costs CPU time, or sleep, which costs whoever queues
/// the next item a system call and the item some ten microseconds. At most one worker per node looks on at a time.
/// </summary>
public enum NumaSpinMode
{
    /// <summary>Looks on for up to 10 microseconds, while work has mostly come sooner than that.</summary>
    Adaptive,

    /// <summary>Looks on for up to 200 microseconds, always: items start sooner, and an idle moment costs a CPU.</summary>
    LowLatency,

    /// <summary>
    /// Sleeps at once, and always offers its CPU to others before: what they queue while they have it waits for as long, a slice
    /// of the kernel's scheduler (some milliseconds) at most, and is then run by one wake-up.
    /// </summary>
    LowCpu,
}
