using NumaSharp.Scheduling;

namespace NumaSharp.Hosting;

/// <summary>The task scheduler: section <c>Numa:Scheduler</c>.</summary>
public sealed class NumaSchedulerOptions
{
    /// <summary>How locality is traded for balance.</summary>
    /// <value>Default <see cref="NumaSchedulingPolicy.LocalityFirst"/>.</value>
    public NumaSchedulingPolicy Policy { get; set; }

    /// <summary>The number of workers per node.</summary>
    /// <value>Default 0: one for each CPU of the node in the plan; up to 4096.</value>
    public int ThreadsPerNode { get; set; }

    /// <summary>What workers do when they run out of work.</summary>
    /// <value>Default <see cref="NumaSpinMode.Adaptive"/>.</value>
    public NumaSpinMode Spin { get; set; }

    /// <summary>Whether a node temporarily gets more workers while its workers make no progress and work waits.</summary>
    /// <value>Default <see langword="true"/>; see <see cref="NumaTaskSchedulerOptions.CompensateBlocking"/>.</value>
    public bool CompensateBlocking { get; set; } = true;

    /// <summary>Whether the node's synchronization context is current for all work.</summary>
    /// <value>Default <see langword="false"/>; see <see cref="NumaTaskSchedulerOptions.UseSynchronizationContext"/>.</value>
    public bool UseSynchronizationContext { get; set; }
}
