namespace NumaSharp.Scheduling;

/// <summary>
/// Runs work on the caller's node, through <see cref="NumaTaskScheduler.Shared"/>. The node is looked up at the call; a caller
/// that is not pinned may be elsewhere a moment later.
/// </summary>
public static class NumaTaskExtensions
{
    /// <summary>Runs work on the caller's node.</summary>
    /// <param name="work">The work.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started.</param>
    /// <returns>The task of the work.</returns>
    public static Task RunNumaLocal(this Action work, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs work with a result on the caller's node.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunNumaLocal(Action, CancellationToken)"/>
    public static Task<T> RunNumaLocal<T>(this Func<T> work, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs asynchronous work on the caller's node.</summary>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal(Action, CancellationToken)"/>
    public static Task RunNumaLocal(this Func<Task> work, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs asynchronous work with a result on the caller's node.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal(Action, CancellationToken)"/>
    public static Task<T> RunNumaLocal<T>(this Func<Task<T>> work, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    private static int CallersNode => NumaTaskScheduler.Shared.IndexOfCaller();
}
