namespace NumaSharp.Scheduling;

/// <summary>
/// Runs work on the node that the caller runs on, through <see cref="NumaTaskScheduler.Shared"/>. Which node that is is looked
/// up at the call; a caller that is not pinned may be elsewhere a moment later.
/// </summary>
public static class NumaTaskExtensions
{
    /// <summary>Runs work on the caller's node.</summary>
    /// <param name="work">The work.</param>
    /// <returns>The task of the work.</returns>
    public static Task RunNumaLocal(this Action work) =>
        NumaTaskScheduler.Shared.RunOnNode(NumaTaskScheduler.Shared.IndexOfCaller(), work);

    /// <summary>Runs work with a result on the caller's node.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="work">The work.</param>
    /// <returns>The task of the work.</returns>
    public static Task<T> RunNumaLocal<T>(this Func<T> work) =>
        NumaTaskScheduler.Shared.RunOnNode(NumaTaskScheduler.Shared.IndexOfCaller(), work);

    /// <summary>Runs asynchronous work on the caller's node.</summary>
    /// <param name="work">The work.</param>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    public static Task RunNumaLocal(this Func<Task> work) =>
        NumaTaskScheduler.Shared.RunOnNode(NumaTaskScheduler.Shared.IndexOfCaller(), work);

    /// <summary>Runs asynchronous work with a result on the caller's node.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <param name="work">The work.</param>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    public static Task<T> RunNumaLocal<T>(this Func<Task<T>> work) =>
        NumaTaskScheduler.Shared.RunOnNode(NumaTaskScheduler.Shared.IndexOfCaller(), work);
}
