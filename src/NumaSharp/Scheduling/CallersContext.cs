namespace NumaSharp.Scheduling;

/// <summary>Takes the <see cref="ExecutionContext"/> of a caller along, where it has one.</summary>
internal static class CallersContext
{
    private static ExecutionContext? s_clean;

    /// <summary>The context of threads on which nobody has set anything: there is nothing to take along.</summary>
    public static ExecutionContext? Clean
    {
        set => s_clean = value;
    }

    public static WorkItem Flow(SendOrPostCallback callback, object? state)
    {
        var context = ExecutionContext.Capture();
        return context is null || ReferenceEquals(context, s_clean)
            ? WorkItem.Posted(callback, state)
            : new WorkItem(PooledWork<(ExecutionContext Context, SendOrPostCallback Callback, object? State)>.Rent(
                static work =>
                {
                    // Whoever runs items sets its own context again after each.
                    ExecutionContext.Restore(work.Context);
                    work.Callback(work.State);
                },
                (context, callback, state)));
    }
}
