using System.IO.Pipelines;

namespace NumaSharp.Scheduling;

/// <summary>One node as a synchronization context.</summary>
internal sealed class NodeSynchronizationContext(WorkerGroup group) : SynchronizationContext
{
    // Behind the waiting work: Task.Yield posts here, too, and must let others go first.
    public override void Post(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        group.Scheduler.Continue(group, CallersContext.Flow(d, state), isFair: true);
    }

    public override void Send(SendOrPostCallback d, object? state)
    {
        ArgumentNullException.ThrowIfNull(d);
        if (Worker.Current?.Group == group)
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
            group.Scheduler.SchedulerOf(group)).GetAwaiter().GetResult();
    }

    // One per node: continuations run in place if the context that they captured is the current one.
    public override SynchronizationContext CreateCopy() => this;

    // Called for async void methods, on the thread that ends them.
    public override void OperationCompleted() => group.NoteEnd();
}

/// <summary>One node of a <see cref="NumaTaskScheduler"/> as a task scheduler of its own.</summary>
internal sealed class NodeTaskScheduler(NumaTaskScheduler owner, WorkerGroup group) : TaskScheduler, ITaskRunner
{
    public override int MaximumConcurrencyLevel => group.BaseCount;

    public void Run(Task task) => TryExecuteTask(task);

    protected override void QueueTask(Task task) => owner.QueueTaskOn(group, task, this);

    // Otherwise the task would run on another node, or on a thread that is no worker.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued)
    {
        if (Worker.Current is not { } worker || worker.Group != group)
        {
            return false;
        }

        worker.TakeBack(task, this);
        return TryExecuteTask(task);
    }

    protected override IEnumerable<Task> GetScheduledTasks() => group.TasksOf(this);
}

/// <summary>One node as a pipe scheduler.</summary>
internal sealed class NodePipeScheduler(WorkerGroup group) : PipeScheduler
{
    public override void Schedule(Action<object?> action, object? state)
    {
        ArgumentNullException.ThrowIfNull(action);
        group.Scheduler.Continue(group, new WorkItem(action, state), isFair: false);
    }
}
