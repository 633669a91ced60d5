using NumaSharp.Core;

namespace NumaSharp.Scheduling;

/// <summary>Settings of a <see cref="NumaTaskScheduler"/>, read once by its constructor.</summary>
public sealed class NumaTaskSchedulerOptions
{
    /// <summary>The nodes, CPUs and worker counts.</summary>
    /// <value><see langword="null"/> (the default) for the default plan of <see cref="NumaTopology.Instance"/>.</value>
    public NumaPlan? Plan { get; set; }

    /// <summary>Pins the workers, and tells where callers run.</summary>
    /// <value><see langword="null"/> (the default) for the provider of <see cref="NumaPlatform.Default"/>.</value>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>How locality is traded for balance.</summary>
    /// <value>Default <see cref="NumaSchedulingPolicy.LocalityFirst"/>.</value>
    public NumaSchedulingPolicy Policy { get; set; }

    /// <summary>What workers do when they run out of work.</summary>
    /// <value>Default <see cref="NumaSpinMode.Adaptive"/>.</value>
    public NumaSpinMode Spin { get; set; }

    /// <summary>Is told what could not be done, such as pinning a worker.</summary>
    /// <value><see langword="null"/> (the default) to tell nobody.</value>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>
    /// Receives the exceptions of items queued with <c>QueueOnNode</c>, on the worker that ran them. Exceptions of tasks go
    /// to their <see cref="Task"/> instead.
    /// </summary>
    /// <value>
    /// <see langword="null"/> (the default): as for a thread-pool work item, the exception is unhandled and ends the process.
    /// </value>
    public Action<Exception>? UnhandledException { get; set; }

    /// <summary>What the workers' names begin with; node id and number follow, as in <c>numa0-3</c>.</summary>
    /// <value><see langword="null"/> (the default) for <c>numa</c>. Linux shows the first 15 characters of the name.</value>
    public string? ThreadNamePrefix { get; set; }

    /// <summary>How long <see cref="NumaTaskScheduler.Dispose"/> waits for queued and running work.</summary>
    /// <value>Default 5 s; 0 or more, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>A host's limit for that; none until a host begins it.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>Whether a node whose workers make no progress while work waits gets further workers for a while.</summary>
    /// <value>Default <see langword="true"/>. Without, work that blocks all workers of a node for each other hangs it.</value>
    public bool CompensateBlocking { get; set; } = true;

    /// <summary>
    /// How long the monitor of blocked workers pauses between two looks, in milliseconds; <see cref="Timeout.Infinite"/> for
    /// tests in which no work may become overdue.
    /// </summary>
    internal int MonitorPauseMilliseconds { get; set; } = BlockingMonitor.LookMilliseconds;

    /// <summary>
    /// Whether all work runs with its node's <see cref="NumaTaskScheduler.GetSynchronizationContext">context</see> as the
    /// current one, so that every <c>await</c> without <c>ConfigureAwait(false)</c> comes back to the node.
    /// </summary>
    /// <value>
    /// Default <see langword="false"/>: tasks come back through their <see cref="TaskScheduler"/>, other items do not.
    /// </value>
    public bool UseSynchronizationContext { get; set; }
}
