using NumaSharp.Core;
using NumaSharp.Core.Affinity;
using NumaSharp.Core.Memory;

namespace NumaSharp.Scheduling;

/// <summary>
/// Runs work on chosen NUMA nodes: a group of worker threads per node of a plan, pinned to the node's CPUs. As a
/// <see cref="TaskScheduler"/> it takes tasks that name no node: they go to the node of the worker that queues them, else to
/// that of the CPU that the caller runs on (in turn under <see cref="NumaSchedulingPolicy.Spread"/>). Thread-safe.
/// </summary>
public sealed partial class NumaTaskScheduler : TaskScheduler, IDisposable, ITaskRunner
{
    private static readonly Lazy<NumaTaskScheduler> s_shared = new(
        static () => new NumaTaskScheduler(new NumaTaskSchedulerOptions(), isShared: true));

    // By node; nodes without CPUs share a group, but have a scheduler of their own.
    private readonly WorkerGroup[] _groupOfNode;
    private readonly NodeTaskScheduler[] _schedulerOfNode;
    private readonly WorkerGroup[] _groups;
    private readonly INumaAffinityProvider _affinity;
    private readonly NumaFallbacks _fallbacks;
    private readonly Action<Exception>? _unhandledException;
    private readonly TimeSpan _drainTimeout;
    private readonly StopLimit _stopLimit;
    private readonly List<ClaimedFallback> _claims = [];
    private readonly bool _isShared;
    private readonly WorkerStarter? _starter;
    private uint _nextGroup;

    /// <summary>Starts the workers of all nodes that this process may use.</summary>
    /// <param name="policy">How locality is traded for balance.</param>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    public NumaTaskScheduler(NumaSchedulingPolicy policy)
        : this(new NumaTaskSchedulerOptions { Policy = policy })
    {
    }

    /// <summary>Starts the workers of a plan.</summary>
    /// <param name="options">The settings.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The policy or the spin mode is undefined, or the drain time-out is outside its range.
    /// </exception>
    /// <exception cref="NumaException">No plan was given, and the machine cannot be read.</exception>
    public NumaTaskScheduler(NumaTaskSchedulerOptions options)
        : this(options, isShared: false)
    {
    }

    private NumaTaskScheduler(NumaTaskSchedulerOptions options, bool isShared)
    {
        Check(options);
        _isShared = isShared;
        Policy = options.Policy;
        Spin = options.Spin;
        _plan = options.Plan ?? NumaPlan.Create(NumaTopology.Instance);
        _affinity = options.Affinity ?? NumaPlatform.Default.Affinity;
        _fallbacks = options.Fallbacks ?? new NumaFallbacks();
        _unhandledException = options.UnhandledException;
        _drainTimeout = options.DrainTimeout;
        _stopLimit = options.StopLimit;
        UsesSynchronizationContext = options.UseSynchronizationContext;
        ThreadNamePrefix = options.ThreadNamePrefix ?? "numa";

        var groups = Plan.Nodes
            .Select(node => node.ServesItself ? new WorkerGroup(this, node) : null).ToArray();
        _groups = [.. groups.OfType<WorkerGroup>()];
        _groupOfNode = [.. Plan.Nodes.Select(node => groups[node.ServingIndex]!)];
        _schedulerOfNode = [.. _groupOfNode.Select(group => new NodeTaskScheduler(this, group))];
        if (Policy != NumaSchedulingPolicy.NodeStrict)
        {
            foreach (var group in _groups)
            {
                group.Neighbours = [.. group.Node.Neighbours.Select(index => NeighbourOf(group, groups[index]!))];
            }
        }

        Monitor = options.CompensateBlocking || Array.Exists(_groups, static group => group.Neighbours.Length != 0)
            ? new BlockingMonitor(this, _groups, options) : null;
        _starter = MaximumConcurrencyLevel > options.MostWorkersAtStart
            ? new WorkerStarter(this, _groups, options.StartsAllAfter) : null;
        Starter = _starter;
        Start();
    }

    /// <summary>The process-wide scheduler of the real machine, started at first use; disposing it does nothing.</summary>
    /// <exception cref="NumaException">The machine cannot be read.</exception>
    public static NumaTaskScheduler Shared => s_shared.Value;

    /// <summary>
    /// The position in <see cref="NumaPlan.Nodes"/> of the calling worker's node, whichever scheduler it belongs to; -1 on other
    /// threads.
    /// </summary>
    public static int CurrentNodeIndex => Worker.Current?.Group.NodeIndex ?? -1;

    /// <summary>The nodes and their CPUs: the plan that was applied last.</summary>
    public NumaPlan Plan => Volatile.Read(ref _plan);

    /// <summary>How locality is traded for balance.</summary>
    public NumaSchedulingPolicy Policy { get; }

    /// <summary>How many tasks run at a time while none is blocked: the workers of all nodes.</summary>
    public override int MaximumConcurrencyLevel => _groups.Sum(static group => group.BaseCount);

    internal NumaSpinMode Spin { get; }

    internal string ThreadNamePrefix { get; }

    internal bool UsesSynchronizationContext { get; }

    internal BlockingMonitor? Monitor { get; }

    /// <summary>
    /// Starts all but the first worker of each node; null when all are there, or the system has no thread for more.
    /// </summary>
    internal WorkerStarter? Starter { get; private set; }

    internal IReadOnlyList<WorkerGroup> Groups => _groups;

    /// <summary>A node as a task scheduler, for <see cref="TaskFactory"/>, <c>ContinueWith</c> and dataflow blocks.</summary>
    /// <param name="nodeId">
    /// The kernel id of the node. For a node that the plan lacks, the nearest one is taken, and this is reported once.
    /// </param>
    /// <returns>The scheduler of the node; always the same one.</returns>
    public TaskScheduler ForNode(NumaNodeId nodeId)
    {
        var node = Plan.FindNode(nodeId);
        if (node is null)
        {
            node = Plan.NearestTo(nodeId);
            ReportFallback(new NumaFallback(
                FallbackCatalog.SchedulerNode,
                $"Node {nodeId} is not in the plan: node {node.NodeId} runs its work. "
                    + $"The plan has the nodes {string.Join(',', Plan.Nodes.Select(static each => each.NodeId))}.",
                nodeId));
        }

        return _schedulerOfNode[node.NodeIndex];
    }

    /// <inheritdoc/>
    protected override void QueueTask(Task task) => QueueTaskOn(GroupForTask(), task, this);

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (GroupOfCaller is null)
        {
            return false;
        }

        Worker.Current!.TakeBack(task, this);
        return TryExecuteTask(task);
    }

    /// <inheritdoc/>
    protected override IEnumerable<Task> GetScheduledTasks() => _groups.SelectMany(group => group.TasksOf(this));

    void ITaskRunner.Run(Task task) => TryExecuteTask(task);

    internal void QueueTaskOn(WorkerGroup group, Task task, ITaskRunner runner)
    {
        if ((task.CreationOptions & TaskCreationOptions.LongRunning) != 0)
        {
            group.RunOnThread(task, runner);
            return;
        }

        Enqueue(group, new WorkItem(task, runner), (task.CreationOptions & TaskCreationOptions.PreferFairness) != 0);
    }

    /// <summary>The group of the calling worker; none outside the workers of this scheduler.</summary>
    private WorkerGroup? GroupOfCaller =>
        Worker.Current is { } worker && worker.Group.Scheduler == this ? worker.Group : null;

    internal int IndexOfCaller()
    {
        var result = _affinity.TryGetCurrent(out var cpu, out _);
        return result.Succeeded ? Math.Max(0, Plan.IndexOfCpu(cpu)) : 0;
    }

    internal int CurrentCpu() => _affinity.TryGetCurrent(out var cpu, out _).Succeeded ? cpu : -1;

    internal void ReportFallback(NumaFallback fallback) => _fallbacks.Report(fallback);

    /// <summary>A fallback that is reported and ended while the scheduler lives, and ends with it. For the constructor.</summary>
    internal ClaimedFallback FallbackOf(FallbackKind kind, NumaNodeId nodeId)
    {
        var fallback = new ClaimedFallback(_fallbacks, kind, nodeId);
        _claims.Add(fallback);
        return fallback;
    }

    private WorkerGroup GroupForTask()
    {
        if (_groups.Length == 1)
        {
            return _groups[0];
        }

        if (Policy == NumaSchedulingPolicy.Spread)
        {
            return _groups[Interlocked.Increment(ref _nextGroup) % (uint)_groups.Length];
        }

        return GroupOfCaller ?? _groupOfNode[IndexOfCaller()];
    }

    private Neighbour NeighbourOf(WorkerGroup group, WorkerGroup other) =>
        new(other, Plan.Topology.Distance(group.Node.NodeId, other.Node.NodeId));

    private static void Check(NumaTaskSchedulerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (!Enum.IsDefined(options.Policy))
        {
            throw new ArgumentOutOfRangeException(
                nameof(options),
                options.Policy,
                $"Policy must be one of {string.Join(", ", Enum.GetNames<NumaSchedulingPolicy>())}.");
        }

        if (!Enum.IsDefined(options.Spin))
        {
            throw new ArgumentOutOfRangeException(
                nameof(options), options.Spin, $"Spin must be one of {string.Join(", ", Enum.GetNames<NumaSpinMode>())}.");
        }

        if (!options.IsDrainTimeoutAllowed)
        {
            throw new ArgumentOutOfRangeException(
                nameof(options),
                options.DrainTimeout,
                $"DrainTimeout must be {NumaTaskSchedulerOptions.AllowedDrainTimeouts}.");
        }
    }
}
