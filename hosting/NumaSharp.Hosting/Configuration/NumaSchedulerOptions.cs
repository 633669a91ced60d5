using NumaSharp.Scheduling;

namespace NumaSharp.Hosting;

/// <summary>The task scheduler: section <c>Numa:Scheduler</c>.</summary>
public sealed class NumaSchedulerOptions
{
    /// <summary>How locality is traded for balance.</summary>
    /// <value>Default <see cref="NumaSchedulingPolicy.LocalityFirst"/>.</value>
    public NumaSchedulingPolicy Policy { get; set; }

    /// <summary>How many workers a node gets.</summary>
    /// <value>Default 0: as many as the node has CPUs in the plan; up to 4096.</value>
    public int ThreadsPerNode { get; set; }

    /// <summary>What workers do when they run out of work.</summary>
    /// <value>Default <see cref="NumaSpinMode.Adaptive"/>.</value>
    public NumaSpinMode Spin { get; set; }

    /// <summary>Whether a node whose workers make no progress while work waits gets further workers for a while.</summary>
    /// <value>Default <see langword="true"/>; see <see cref="NumaTaskSchedulerOptions.CompensateBlocking"/>.</value>
    public bool CompensateBlocking { get; set; } = true;

    /// <summary>Whether all work runs with its node's synchronization context as the current one.</summary>
    /// <value>Default <see langword="false"/>; see <see cref="NumaTaskSchedulerOptions.UseSynchronizationContext"/>.</value>
    public bool UseSynchronizationContext { get; set; }
}
