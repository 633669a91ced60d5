namespace NumaSharp.Scheduling;

// The token is both: what cancels work that has not started, and what work that runs is given to look at. Without these, a
// lambda with a token would be one with a state that happens to be a token, and would not be cancelled before it starts.
public sealed partial class NumaTaskScheduler
{
    /// <summary>Runs work on a node that is given the token which cancels it.</summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="work">The work; an <see cref="OperationCanceledException"/> of the token cancels its task.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started, and is given to it.</param>
    /// <returns>The task of the work.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public Task RunOnNode(int nodeIndex, Action<CancellationToken> work, CancellationToken cancellationToken) =>
        RunOnNode<CancellationToken>(nodeIndex, work, cancellationToken, cancellationToken);

    /// <summary>Runs work with a result on a node that is given the token which cancels it.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunOnNode(int, Action{CancellationToken}, CancellationToken)"/>
    public Task<T> RunOnNode<T>(int nodeIndex, Func<CancellationToken, T> work, CancellationToken cancellationToken) =>
        RunOnNode<CancellationToken, T>(nodeIndex, work, cancellationToken, cancellationToken);

    /// <summary>
    /// Runs asynchronous work on a node that is given the token which cancels it. After an <c>await</c> without
    /// <c>ConfigureAwait(false)</c> it goes on there.
    /// </summary>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode(int, Action{CancellationToken}, CancellationToken)"/>
    public Task RunOnNode(int nodeIndex, Func<CancellationToken, Task> work, CancellationToken cancellationToken) =>
        RunOnNode<CancellationToken>(nodeIndex, work, cancellationToken, cancellationToken);

    /// <summary>
    /// Runs asynchronous work with a result on a node that is given the token which cancels it. After an <c>await</c> without
    /// <c>ConfigureAwait(false)</c> it goes on there.
    /// </summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunOnNode(int, Action{CancellationToken}, CancellationToken)"/>
    public Task<T> RunOnNode<T>(int nodeIndex, Func<CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        RunOnNode<CancellationToken, T>(nodeIndex, work, cancellationToken, cancellationToken);
}
