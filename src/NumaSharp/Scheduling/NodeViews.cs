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
