namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
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
            static (group, work) => group.Watch(work()),
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
            static (group, work) => group.Watch(work()),
            work,
            cancellationToken).Unwrap();
    }

    // One object carries what would otherwise be a closure and a delegate.
    private Task<T> Start<TState, T>(
        int nodeIndex, Func<WorkerGroup, TState, T> work, TState state, CancellationToken cancellationToken)
    {
        var scheduler = SchedulerAt(nodeIndex);
        return Task.Factory.StartNew(
            static carried =>
            {
                var (group, work, state) = (Tuple<WorkerGroup, Func<WorkerGroup, TState, T>, TState>)carried!;
                return work(group, state);
            },
            Tuple.Create(_groupOfNode[nodeIndex], work, state),
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
}
