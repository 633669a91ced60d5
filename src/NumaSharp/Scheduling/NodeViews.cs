using System.IO.Pipelines;

namespace NumaSharp.Scheduling;

/// <summary>One node as a synchronization context.</summary>
internal sealed class NodeSynchronizationContext(NodeWorkers node) : SynchronizationContext
{
    // Behind the waiting work: Task.Yield posts here, too, and must let others go first.
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        node.Scheduler.Continue(node, CallersContext.Flow(d, state), isFair: true);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (node.IsCaller)
        {
            d(state);
            return;
        }

        // A task flows the caller's ExecutionContext, and the callback's exception back.
        Task.Factory.StartNew(
            new Action<object?>(d),
            state,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach | TaskCreationOptions.PreferFairness,
            node.Scheduler.SchedulerOf(node)).GetAwaiter().GetResult();
    }

    // One per node: continuations run in place if the context that they captured is the current one.
    public override SynchronizationContext CreateCopy() => this;

    // Called for async void methods, on the thread that ends them.
    public override void OperationCompleted() => node.NoteEnd();
}

/// <summary>One node of a <see cref="NumaTaskScheduler"/> as a task scheduler of its own.</summary>
internal sealed class NodeTaskScheduler(NumaTaskScheduler owner, NodeWorkers node) : TaskScheduler, ITaskRunner
{
    public override int MaximumConcurrencyLevel => node.Groups.Sum(static group => group.BaseCount);

    public void Run(Task task) => TryExecuteTask(task);

    protected override void QueueTask(Task task) => owner.QueueTaskOn(node.GroupForCaller, task, this);

    // Otherwise the task would run on another node, or on a thread that is no worker.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (!node.IsCaller)
        {
            return false;
        }

        Worker.Current!.TakeBack(task, this);
        return TryExecuteTask(task);
    }

    protected override IEnumerable<Task> GetScheduledTasks() => node.Groups.SelectMany(group => group.TasksOf(this));
}

/// <summary>One node as a pipe scheduler.</summary>
internal sealed class NodePipeScheduler(NodeWorkers node) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        node.Scheduler.Continue(node, new WorkItem(action, state), isFair: false);
    }
}
