namespace NumaSharp.Scheduling;

/// <summary>Carries a caller's <see cref="ExecutionContext"/> along, if it has one.</summary>
internal static class CallersContext
{
    private static ExecutionContext? s_clean;

    /// <summary>The context of threads without any values set: there is nothing to carry.</summary>
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
                    // The thread that runs items restores its own context after each.
                    ExecutionContext.Restore(work.Context);
                    work.Callback(work.State);
                },
                (context, callback, state)));
    }
}
