namespace NumaSharp.Scheduling;

/// <summary>One node as a synchronization context.</summary>
internal sealed class NodeSynchronizationContext(WorkerGroup group) : SynchronizationContext
{
    // Behind what waits: Task.Yield comes here too, and must let others go first.
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

        // A task brings the caller's ExecutionContext along and the callback's exception back.
        Task.Factory.StartNew(
            new Action<object?>(d),
            state,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach | TaskCreationOptions.PreferFairness,
            group.Scheduler.SchedulerOf(group)).GetAwaiter().GetResult();
    }

    // One per node: continuations are run in place where the context that they want is the current one.
    public override SynchronizationContext CreateCopy() => this;

    // Of async void methods, on the thread that ends them.
    public override void OperationCompleted() => group.NoteEnd();
}
