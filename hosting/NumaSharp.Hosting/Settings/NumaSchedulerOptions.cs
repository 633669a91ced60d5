using NumaSharp.Scheduling;

namespace NumaSharp.Hosting;

/// <summary>
/// The task scheduler: section <c>Numa:Scheduler</c>. Only code can set what has no key:
/// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>, <see cref="NumaTaskSchedulerOptions.DrainTimeout"/>,
/// <see cref="NumaTaskSchedulerOptions.ThreadNamePrefix"/>, and, in place of the host's own,
/// <see cref="NumaTaskSchedulerOptions.Affinity"/> and <see cref="NumaTaskSchedulerOptions.Fallbacks"/>. A
/// <see cref="NumaTaskSchedulerOptions.Plan"/> is refused: the host makes it.
/// </summary>
public sealed class NumaSchedulerOptions : NumaTaskSchedulerOptions
{
    /// <summary>The number of workers per node. Only <c>AddNuma</c> reads this; elsewhere the plan decides.</summary>
    /// <value>Default 0: one for each CPU of the node in the plan; up to 4096.</value>
    public int ThreadsPerNode { get; set; }
}
