using NumaSharp.Core;

namespace NumaSharp.Scheduling;

/// <summary>Settings of a <see cref="NumaTaskScheduler"/>, read once by its constructor.</summary>
public class NumaTaskSchedulerOptions
{
    /// <summary>The nodes, CPUs and worker counts.</summary>
    /// <value><see langword="null"/> (the default) for the default plan of <see cref="NumaTopology.Instance"/>.</value>
    public NumaPlan? Plan { get; set; }

    /// <summary>Pins the workers, and finds the CPU that a caller runs on.</summary>
    /// <value><see langword="null"/> (the default) for the provider of <see cref="NumaPlatform.Default"/>.</value>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>How locality is traded for balance.</summary>
    /// <value>Default <see cref="NumaSchedulingPolicy.LocalityFirst"/>.</value>
    public NumaSchedulingPolicy Policy { get; set; }

    /// <summary>What workers do when they run out of work.</summary>
    /// <value>Default <see cref="NumaSpinMode.Adaptive"/>.</value>
    public NumaSpinMode Spin { get; set; }

    /// <summary>Receives fallbacks, such as a worker that could not be pinned.</summary>
    /// <value><see langword="null"/> (the default): fallbacks are not reported.</value>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>
    /// Receives the exceptions of items queued with <c>QueueOnNode</c>, on the worker that ran them. Exceptions of tasks go
    /// to their <see cref="Task"/> instead.
    /// </summary>
    /// <value>
    /// <see langword="null"/> (the default): as for a thread-pool work item, the exception is unhandled and ends the process.
    /// </value>
    public Action<Exception>? UnhandledException { get; set; }

    /// <summary>
    /// The prefix of the workers' names; node id, group where there are several, and number follow, as in <c>numa0-3</c> and
    /// <c>numa0.1-3</c>.
    /// </summary>
    /// <value><see langword="null"/> (the default) for <c>numa</c>. Linux shows the first 15 characters of the name.</value>
    public string? ThreadNamePrefix { get; set; }

    /// <summary>How long <see cref="NumaTaskScheduler.Dispose"/> waits for queued and running work.</summary>
    /// <value>Default 5 s; from 0 to 1 day, or <see cref="Timeout.InfiniteTimeSpan"/>.</value>
    public TimeSpan DrainTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>A stopping host's limit for that; none until the host stops.</summary>
    internal StopLimit StopLimit { get; set; } = new(TimeProvider.System);

    /// <summary>The range of <see cref="DrainTimeout"/>, as text to follow "must be".</summary>
    internal const string AllowedDrainTimeouts = "from 0 to 1 day, or Timeout.InfiniteTimeSpan";

    // The system's waits end at about 24 days.
    internal bool IsDrainTimeoutAllowed =>
        DrainTimeout == Timeout.InfiniteTimeSpan || (DrainTimeout >= TimeSpan.Zero && DrainTimeout <= TimeSpan.FromDays(1));

    /// <summary>Whether a node gets further workers for a while when work waits and its workers make no progress.</summary>
    /// <value>
    /// Default <see langword="true"/>. If false, a node hangs when all of its workers block on work that waits there.
    /// </value>
    public bool CompensateBlocking { get; set; } = true;

    /// <summary>
    /// The pause of the monitor of blocked workers between two checks, in milliseconds; <see cref="Timeout.Infinite"/> for tests
    /// in which no work may become overdue.
    /// </summary>
    internal int MonitorPauseMilliseconds { get; set; } = BlockingMonitor.CheckMilliseconds;

    /// <summary>
    /// Whether all work runs with its node's <see cref="NumaTaskScheduler.GetSynchronizationContext">context</see> as the current
    /// one, so that every <c>await</c> without <c>ConfigureAwait(false)</c> returns to the node.
    /// </summary>
    /// <value>
    /// Default <see langword="false"/>: tasks return through their <see cref="TaskScheduler"/>, other items do not.
    /// </value>
    public bool UseSynchronizationContext { get; set; }

    /// <summary>
    /// The most workers that the constructor starts. Of a plan with more it starts the first of each group; the others start when
    /// <see cref="WorkerStarter.StartAll"/> is called, or earlier where a group has more work than workers.
    /// </summary>
    internal int MostWorkersAtStart { get; set; } = int.MaxValue;

    /// <summary>
    /// How long the others wait for that call; <see cref="Timeout.InfiniteTimeSpan"/> for tests in which none may start by
    /// itself.
    /// </summary>
    internal TimeSpan StartsAllAfter { get; set; } = WorkerStarter.DefaultDelay;

    /// <summary>A copy that later changes of these options do not reach.</summary>
    internal NumaTaskSchedulerOptions Copy() => (NumaTaskSchedulerOptions)MemberwiseClone();
}

/// <summary>How a <see cref="NumaTaskScheduler"/> trades locality for balance.</summary>
public enum NumaSchedulingPolicy
{
    /// <summary>Work runs on its node; workers without work steal from other nodes, nearest first.</summary>
    LocalityFirst,

    /// <summary>Work never leaves its node, even when other nodes are idle.</summary>
    NodeStrict,

    /// <summary>
    /// Tasks that name no node go to the nodes in turn; otherwise as <see cref="LocalityFirst"/>. For work on data that is
    /// interleaved over all nodes.
    /// </summary>
    Spread,
}

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
