namespace NumaSharp.Scheduling;

// The same as in NumaTaskScheduler.RunOnNode.cs for work that is given what it needs: a static lambda instead of a closure.
public sealed partial class NumaTaskScheduler
{
    /// <summary>Runs work on a node and gives it a state, so that it needs no closure.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="work">The work.</param>
    /// <param name="state">What the work is called with.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started.</param>
    /// <returns>The task of the work.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public Task RunOnNode<TState>(
        int nodeIndex, Action<TState> work, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Task.Factory.StartNew(
            static carried =>
            {
                var (work, state) = (Tuple<Action<TState>, TState>)carried!;
                work(state);
            },
            Tuple.Create(work, state),
            cancellationToken,
            TaskCreationOptions.DenyChildAttach,
            SchedulerAt(nodeIndex));
    }

    /// <summary>Runs work with a result on a node and gives it a state, so that it needs no closure.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunOnNode{TState}(int, Action{TState}, TState, CancellationToken)"/>
    public Task<T> RunOnNode<TState, T>(
        int nodeIndex, Func<TState, T> work, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Task.Factory.StartNew(
            static carried =>
            {
                var (work, state) = (Tuple<Func<TState, T>, TState>)carried!;
                return work(state);
            },
            Tuple.Create(work, state),
            cancellationToken,
            TaskCreationOptions.DenyChildAttach,
            SchedulerAt(nodeIndex));
    }

    /// <summary>
    /// Runs asynchronous work on a node and gives it a state, so that it needs no closure. After an <c>await</c> without
    /// <c>ConfigureAwait(false)</c> it goes on there.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode{TState}(int, Action{TState}, TState, CancellationToken)"/>
    public Task RunOnNode<TState>(
        int nodeIndex, Func<TState, Task> work, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Start(
            nodeIndex,
            static (group, given) => group.Watch(given.Work(given.State)),
            (Work: work, State: state),
            cancellationToken).Unwrap();
    }

    /// <summary>
    /// Runs asynchronous work with a result on a node and gives it a state, so that it needs no closure. After an <c>await</c>
    /// without <c>ConfigureAwait(false)</c> it goes on there.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode{TState}(int, Action{TState}, TState, CancellationToken)"/>
    public Task<T> RunOnNode<TState, T>(
        int nodeIndex, Func<TState, Task<T>> work, TState state, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(work);
        return Start(
            nodeIndex,
            static (group, given) => group.Watch(given.Work(given.State)),
            (Work: work, State: state),
            cancellationToken).Unwrap();
    }
}
