using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Scheduling;

/// <summary>
/// Runs work on chosen NUMA nodes: worker threads for each node of a plan, pinned to CPUs of the node. As a
/// <see cref="TaskScheduler"/> it takes tasks that name no node: they go to the node of the worker that queues them, from
/// elsewhere to that of the CPU that the caller runs on (in turn under <see cref="NumaSchedulingPolicy.Spread"/>). Thread-safe.
/// </summary>
public sealed partial class NumaTaskScheduler : TaskScheduler, IDisposable, ITaskRunner
{
    private static readonly Lazy<NumaTaskScheduler> s_shared = new(
        static () => new NumaTaskScheduler(new NumaTaskSchedulerOptions(), isShared: true));

    // By node; nodes without CPUs share workers, but have a scheduler of their own.
    private readonly NodeWorkers[] _workersOfNode;
    private readonly NodeTaskScheduler[] _schedulerOfNode;
    private readonly NodeWorkers[] _nodes;
    private readonly WorkerGroup[] _groups;
    private readonly INumaAffinityProvider _affinity;
    private readonly NumaFallbacks _fallbacks;
    private readonly Action<Exception>? _unhandledException;
    private readonly TimeSpan _drainTimeout;
    private readonly StopLimit _stopLimit;
    private readonly List<ClaimedFallback> _claims = [];
    private readonly bool _isShared;
    private readonly WorkerStarter? _starter;
    private uint _nextNode;

    private readonly Lock _applyLock = new();
    private NumaPlan _plan;
    private int _placements;

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
        GivenFallbacks = options.Fallbacks;
        _fallbacks = options.Fallbacks ?? new NumaFallbacks();
        _unhandledException = options.UnhandledException;
        _drainTimeout = options.DrainTimeout;
        _stopLimit = options.StopLimit;
        UsesSynchronizationContext = options.UseSynchronizationContext;
        ThreadNamePrefix = options.ThreadNamePrefix ?? "numa";

        var nodes = Plan.Nodes.Select(node => node.ServesItself ? new NodeWorkers(this, node) : null).ToArray();
        _nodes = [.. nodes.OfType<NodeWorkers>()];
        _groups = [.. _nodes.SelectMany(static node => node.Groups)];
        _workersOfNode = [.. Plan.Nodes.Select(node => nodes[node.ServingIndex]!)];
        _schedulerOfNode = [.. _workersOfNode.Select(node => new NodeTaskScheduler(this, node))];
        Introduce(_groups, [.. _groups.Select(NeighboursOf)]);

        Monitor = new BlockingMonitor(this, _groups, options);
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
    public static int CurrentNodeIndex => Worker.Current?.Group.Home.NodeIndex ?? -1;

    /// <summary>The nodes and their CPUs: the plan that was applied last.</summary>
    public NumaPlan Plan => Volatile.Read(ref _plan);

    /// <summary>How locality is traded for balance.</summary>
    public NumaSchedulingPolicy Policy { get; }

    /// <summary>How many tasks run at a time while none is blocked: the workers of all nodes.</summary>
    public override int MaximumConcurrencyLevel => _groups.Sum(static group => group.BaseCount);

    /// <summary>Pins the workers; the loops of a transport that has no platform of its own, too.</summary>
    internal INumaAffinityProvider Affinity => _affinity;

    /// <summary>Those of the options; <see langword="null"/> where the scheduler reports to nothing but its own.</summary>
    internal NumaFallbacks? GivenFallbacks { get; }

    internal NumaSpinMode Spin { get; }

    internal string ThreadNamePrefix { get; }

    internal bool UsesSynchronizationContext { get; }

    internal BlockingMonitor Monitor { get; }

    /// <summary>
    /// Starts all but the first worker of each group; null when all are there, or the system has no thread for more.
    /// </summary>
    internal WorkerStarter? Starter { get; private set; }

    internal IReadOnlyList<WorkerGroup> Groups => _groups;

    /// <summary>How often threads were asked to pin themselves; a thread that sees a new value pins itself again.</summary>
    internal int Placements => Volatile.Read(ref _placements);

    /// <summary>The group of the calling worker; none outside the workers of this scheduler.</summary>
    private WorkerGroup? GroupOfCaller =>
        Worker.Current is { } worker && worker.Group.Scheduler == this ? worker.Group : null;

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
            node = Plan.GetNearestNode(nodeId);
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

    internal int IndexOfCaller() => IndexOf(CurrentCpu());

    internal int CurrentCpu() => _affinity.TryGetCurrent(out var cpu, out _).Succeeded ? cpu : -1;

    private int IndexOf(int cpu) => cpu < 0 ? 0 : Math.Max(0, Plan.IndexOfCpu(cpu));

    internal void ReportFallback(NumaFallback fallback) => _fallbacks.Report(fallback);

    /// <summary>
    /// A fallback that is reported and ended while the scheduler lives, and ends with it. For the constructor.
    /// </summary>
    internal ClaimedFallback FallbackOf(FallbackKind kind, NumaNodeId nodeId, object subject)
    {
        var fallback = new ClaimedFallback(_fallbacks, kind, nodeId, subject);
        _claims.Add(fallback);
        return fallback;
    }

    private WorkerGroup GroupForTask()
    {
        if (_nodes.Length == 1 || Policy == NumaSchedulingPolicy.Spread)
        {
            return NodeForTask().GroupForCaller;
        }

        if (GroupOfCaller is { } own)
        {
            return own;
        }

        var cpu = CurrentCpu();
        return _workersOfNode[IndexOf(cpu)].GroupNear(cpu);
    }

    private NodeWorkers NodeForTask()
    {
        if (_nodes.Length == 1)
        {
            return _nodes[0];
        }

        if (Policy == NumaSchedulingPolicy.Spread)
        {
            return _nodes[Interlocked.Increment(ref _nextNode) % (uint)_nodes.Length];
        }

        return GroupOfCaller?.Home ?? _workersOfNode[IndexOfCaller()];
    }

    // Each begins at another one, so that not all of them look at the same first.
    private Neighbour[] NeighboursOf(WorkerGroup one)
    {
        var siblings = From(one.Home.Groups, one.Index).Skip(1)
            .Select(static sibling => new Neighbour(sibling, Neighbour.LocalDistance, isOfSameNode: true));
        return Policy == NumaSchedulingPolicy.NodeStrict ? [.. siblings] :
        [
            .. siblings,
            .. from index in one.Node.Neighbors
               let distance = Plan.Topology.GetDistance(one.Node.NodeId, Plan.Nodes[index].NodeId)
               from other in From(_workersOfNode[index].Groups, one.Index)
               select new Neighbour(other, distance),
        ];
    }

    private static IEnumerable<WorkerGroup> From(WorkerGroup[] groups, int start) =>
        Enumerable.Range(0, groups.Length).Select(i => groups[(start + i) % groups.Length]);

    private static void Introduce(WorkerGroup[] groups, Neighbour[][] neighbours)
    {
        var number = groups.Index().ToDictionary(static one => one.Item, static one => one.Index);
        var table = new Neighbour?[groups.Length, groups.Length];
        for (var one = 0; one < groups.Length; one++)
        {
            groups[one].Neighbours = neighbours[one];
            var next = neighbours[one].Length;
            for (var i = next - 1; i >= 0; i--)
            {
                var neighbour = neighbours[one][i];
                table[one, number[neighbour.Group]] = neighbour;
                next = i + 1 < neighbours[one].Length && neighbours[one][i + 1].Group.Home == neighbour.Group.Home ? next : i + 1;
                neighbour.NextNode = next;
            }
        }

        for (var one = 0; one < groups.Length; one++)
        {
            foreach (var neighbour in neighbours[one])
            {
                neighbour.Reverse = table[number[neighbour.Group], one]!;
            }
        }
    }

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

    /// <summary>
    /// Queues an item on a node without allocating. <c>ExecutionContext</c> does not flow; an exception goes to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. From a worker of the node it goes to that worker's own queue,
    /// which it takes newest first.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="item">The item; it may be queued again once it runs.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public void QueueOnNode(int nodeIndex, IThreadPoolWorkItem item)
    {
        ArgumentNullException.ThrowIfNull(item);
        Enqueue(GroupAt(nodeIndex), new WorkItem(item), isFair: false);
    }

    /// <summary>
    /// Queues a callback on a node without allocating. <c>ExecutionContext</c> does not flow; an exception goes to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. From a worker of the node it goes to that worker's own queue,
    /// which it takes newest first.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="callback">The callback.</param>
    /// <param name="state">The callback's argument.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public void QueueOnNode(int nodeIndex, Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Enqueue(GroupAt(nodeIndex), new WorkItem(callback, state), isFair: false);
    }

    /// <summary>
    /// Queues a callback with a state of any type on a node, without allocating in the steady state: the object that carries both
    /// is reused, as long as no more than about a thousand wait at a time. Otherwise as
    /// <see cref="QueueOnNode(int, Action{object?}, object?)"/>, which the compiler prefers for callbacks that take any object:
    /// to keep a value from being boxed, write the type of a lambda's parameter, as in <c>static (int number) => ...</c>.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="callback">The callback.</param>
    /// <param name="state">The callback's argument.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public void QueueOnNode<TState>(int nodeIndex, Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var group = GroupAt(nodeIndex);
        Enqueue(group, new WorkItem(PooledWork<TState>.Rent(callback, state)), isFair: false);
    }

    /// <summary>
    /// Called after putting something into a queue of the group, which ends with a full fence: the item must be visible before
    /// checking which workers sleep and whether the scheduler has stopped (README.md).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Announce(WorkerGroup group)
    {
        group.Notify();
        if (IsStopped)
        {
            HandOver();
        }
    }

    /// <summary>Runs an item; no exception leaves this method.</summary>
    internal void Execute(WorkItem item)
    {
        try
        {
            item.Execute();
        }
        catch (Exception e)
        {
            ReportUnhandled(e);
        }
    }

    internal void ReportUnhandled(Exception exception)
    {
        if (_unhandledException is null)
        {
            ThrowUnhandled(exception);
            return;
        }

        try
        {
            _unhandledException(exception);
        }
        catch (Exception e)
        {
            ThrowUnhandled(new AggregateException(exception, e));
        }
    }

    // On a pool thread, where it is an unhandled exception like any other: the runtime's events and handlers see it, and
    // without one of them it ends the process.
    private static void ThrowUnhandled(Exception exception) =>
        ThreadPool.UnsafeQueueUserWorkItem(
            static info => info.Throw(), ExceptionDispatchInfo.Capture(exception), preferLocal: false);

    private WorkerGroup GroupAt(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        ThrowIfClosed();
        return _workersOfNode[nodeIndex].GroupForCaller;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CheckIndex(int nodeIndex)
    {
        if ((uint)nodeIndex >= (uint)_workersOfNode.Length)
        {
            ThrowNoSuchNode(nodeIndex);
        }
    }

    [DoesNotReturn]
    private void ThrowNoSuchNode(int nodeIndex) => throw new ArgumentOutOfRangeException(
        nameof(nodeIndex), nodeIndex, $"The plan's nodes have the positions 0 to {_workersOfNode.Length - 1}.");

    private void Enqueue(WorkerGroup group, WorkItem item, bool isFair)
    {
        if (IsWatched)
        {
            Push(group, Watched(group, item), isFair);
        }
        else
        {
            Push(group, item, isFair);
        }

        Announce(group);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Push(WorkerGroup group, WorkItem item, bool isFair)
    {
        var worker = Worker.Current;
        if (isFair || worker is null || worker.Group != group || !worker.Deque.TryPush(item))
        {
            group.Queue.Enqueue(item);
        }
    }

    /// <summary>
    /// Runs work on a node. Its exception is the task's; <c>ExecutionContext</c> flows as in <c>Task.Run</c>.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="work">The work.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started.</param>
    /// <returns>The task of the work.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public Task RunOnNode(int nodeIndex, Action work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Task.Factory.StartNew(work, cancellationToken, TaskCreationOptions.DenyChildAttach, SchedulerAt(nodeIndex));
    }

    /// <summary>Runs work with a result on a node.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunOnNode(int, Action, CancellationToken)"/>
    public Task<T> RunOnNode<T>(int nodeIndex, Func<T> work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Task.Factory.StartNew(work, cancellationToken, TaskCreationOptions.DenyChildAttach, SchedulerAt(nodeIndex));
    }

    /// <summary>
    /// Runs asynchronous work on a node. After an <c>await</c> without <c>ConfigureAwait(false)</c> it continues there.
    /// </summary>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode(int, Action, CancellationToken)"/>
    public Task RunOnNode(int nodeIndex, Func<Task> work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Start(
            nodeIndex,
            static (node, work) => node.Watch(work()),
            work,
            cancellationToken).Unwrap();
    }

    /// <summary>
    /// Runs asynchronous work with a result on a node. After an <c>await</c> without <c>ConfigureAwait(false)</c> it continues
    /// there.
    /// </summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode(int, Action, CancellationToken)"/>
    public Task<T> RunOnNode<T>(int nodeIndex, Func<Task<T>> work, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Start(
            nodeIndex,
            static (node, work) => node.Watch(work()),
            work,
            cancellationToken).Unwrap();
    }

    // One object carries what would otherwise be a closure and a delegate.
    private Task<T> Start<TState, T>(
        int nodeIndex, Func<NodeWorkers, TState, T> work, TState state, CancellationToken cancellationToken)
    {
        var scheduler = SchedulerAt(nodeIndex);
        return Task.Factory.StartNew(
            static carried =>
            {
                var (node, work, state) = (Tuple<NodeWorkers, Func<NodeWorkers, TState, T>, TState>)carried!;
                return work(node, state);
            },
            Tuple.Create(_workersOfNode[nodeIndex], work, state),
            cancellationToken,
            TaskCreationOptions.DenyChildAttach,
            scheduler);
    }

    private NodeTaskScheduler SchedulerAt(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        ThrowIfClosed();
        return _schedulerOfNode[nodeIndex];
    }

    // Ways to move running code to a node. Continuations are never refused: after the end they run on the thread pool.

    /// <summary>
    /// <c>await</c> this to continue on a worker of a node: at once when the caller is on one, otherwise queued there. A later
    /// <c>await</c> of something else may leave the node again, unless it captures the node's
    /// <see cref="GetSynchronizationContext">context</see>. After <see cref="Dispose"/> the method continues on the thread pool.
    /// </summary>
    /// <remarks>
    /// Allocates nothing beyond the <c>async</c> method itself. Under <see cref="NumaSchedulingPolicy.LocalityFirst"/> an idle
    /// worker of another node may take the continuation, like any work. It is no task: <see cref="TaskScheduler.Current"/> is the
    /// default one.
    /// </remarks>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>What to await.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public NumaSwitchAwaitable SwitchTo(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return new NumaSwitchAwaitable(_workersOfNode[nodeIndex], isYield: false);
    }

    /// <summary>
    /// <c>await</c> this to return to the workers: continues at once when the caller is on any worker of this scheduler,
    /// otherwise on the node of the CPU that the caller runs on (in turn under <see cref="NumaSchedulingPolicy.Spread"/>).
    /// </summary>
    /// <returns>What to await.</returns>
    /// <inheritdoc cref="SwitchTo(int)" path="/remarks"/>
    public NumaSwitchAwaitable SwitchTo() =>
        new(GroupOfCaller is null ? NodeForTask() : null, isYield: false);

    /// <summary>
    /// <c>await</c> this to let others go first: the continuation queues behind all work that waits in the caller's group.
    /// Outside the workers it goes to the node of the CPU that the caller runs on (in turn under
    /// <see cref="NumaSchedulingPolicy.Spread"/>).
    /// </summary>
    /// <returns>What to await.</returns>
    /// <inheritdoc cref="SwitchTo(int)" path="/remarks"/>
    public NumaSwitchAwaitable Yield() =>
        new(GroupOfCaller?.Home ?? NodeForTask(), isYield: true);

    /// <summary>
    /// A node as a synchronization context: with it as the current one, <c>await</c> returns to the node. Several workers run
    /// posted callbacks, in no particular order and at the same time. It is the current one in all work of a scheduler with
    /// <see cref="NumaTaskSchedulerOptions.UseSynchronizationContext"/>.
    /// </summary>
    /// <remarks>
    /// <see cref="SynchronizationContext.Post"/> flows <see cref="ExecutionContext"/> and passes exceptions to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>; <see cref="SynchronizationContext.Send"/> runs in place on a
    /// worker of the node, waits elsewhere, and throws the callback's exception. After <see cref="Dispose"/> both use the thread
    /// pool.
    /// </remarks>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The context of the node; always the same one, and that of the serving node where it has no CPUs.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public SynchronizationContext GetSynchronizationContext(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return _workersOfNode[nodeIndex].Context;
    }

    /// <summary>
    /// A node as a pipe scheduler, for <see cref="PipeOptions"/>. Scheduled actions do not get the caller's
    /// <see cref="ExecutionContext"/>; a <see cref="Pipe"/> flows that of its users by itself. Exceptions go to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. After <see cref="Dispose"/> it uses the thread pool.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <returns>The pipe scheduler of the node; always the same one.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    public PipeScheduler GetPipeScheduler(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        return _workersOfNode[nodeIndex].PipeScheduler;
    }

    /// <summary>Queues a continuation: after the end it runs on the thread pool.</summary>
    internal void Continue(NodeWorkers node, WorkItem item, bool isFair) => Enqueue(node.GroupForCaller, item, isFair);

    internal TaskScheduler SchedulerOf(NodeWorkers node) => _schedulerOfNode[node.NodeIndex];

    /// <summary>
    /// Applies a plan that follows the current one: every worker re-pins itself, sleeping ones now, the others before their next
    /// item. The current plan may be given, too, to re-pin all workers. Work is not touched. Threads of
    /// <see cref="TaskCreationOptions.LongRunning"/> tasks stay where the system has moved them.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on <see cref="Plan"/>.</param>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions or workers differ.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_applyLock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            Volatile.Write(ref _placements, _placements + 1);
            foreach (var node in _nodes)
            {
                node.Place(PlacementOf(plan.Nodes[node.NodeIndex]));
            }

            // With fewer workers less work is worth a steal; a worker that woke to pin itself may have checked before that.
            foreach (var group in _groups)
            {
                if (group.HasOwnWork)
                {
                    group.Notify();
                }
            }

            Monitor.Wake();
            AddMissing();
            Starter?.NoticePlan();
        }
    }

    // Last, because it may take long: a large machine has hundreds of workers, and may still be starting them.
    private void AddMissing()
    {
        if (IsStopped || !Array.Exists(_groups, static group => group.LacksWorkers))
        {
            return;
        }

        try
        {
            using var reserved = ReservedThreads.Start();
            foreach (var group in _groups)
            {
                while (group.TryAddMissing())
                {
                }
            }
        }
        catch (OutOfMemoryException e)
        {
            Array.ForEach(_groups, group => group.ReportMissing(e.Message));
        }
    }

    internal NodePlacement PlacementOf(NumaNodePlan node) => new(Plan, node, _affinity, ReportFallback);

    /// <summary>Pins the calling thread for the plan as a whole, for threads that belong to no node.</summary>
    internal void PinToPlan()
    {
        var plan = Plan;
        if (plan.IsEnabled)
        {
            _ = _affinity.TrySetThreadCpus(plan.CommonOf(plan.Cpus));
        }
    }
}
