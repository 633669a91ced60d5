namespace NumaSharp.Scheduling;

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
