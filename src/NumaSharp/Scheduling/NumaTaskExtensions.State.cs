namespace NumaSharp.Scheduling;

public static partial class NumaTaskExtensions
{
    /// <summary>Runs work on the caller's node and gives it a state, so that it needs no closure.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="work">The work.</param>
    /// <param name="state">What the work is called with.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started.</param>
    /// <returns>The task of the work.</returns>
    public static Task RunNumaLocal<TState>(
        this Action<TState> work, TState state, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, state, cancellationToken);

    /// <summary>Runs work with a result on the caller's node and gives it a state, so that it needs no closure.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunNumaLocal{TState}(Action{TState}, TState, CancellationToken)"/>
    public static Task<T> RunNumaLocal<TState, T>(
        this Func<TState, T> work, TState state, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, state, cancellationToken);

    /// <summary>Runs asynchronous work on the caller's node and gives it a state, so that it needs no closure.</summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal{TState}(Action{TState}, TState, CancellationToken)"/>
    public static Task RunNumaLocal<TState>(
        this Func<TState, Task> work, TState state, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, state, cancellationToken);

    /// <summary>
    /// Runs asynchronous work with a result on the caller's node and gives it a state, so that it needs no closure.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal{TState}(Action{TState}, TState, CancellationToken)"/>
    public static Task<T> RunNumaLocal<TState, T>(
        this Func<TState, Task<T>> work, TState state, CancellationToken cancellationToken = default) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, state, cancellationToken);

    /// <summary>Runs work on the caller's node that is given the token which cancels it.</summary>
    /// <param name="work">The work; an <see cref="OperationCanceledException"/> of the token cancels its task.</param>
    /// <param name="cancellationToken">Cancels the work if it has not started, and is given to it.</param>
    /// <returns>The task of the work.</returns>
    public static Task RunNumaLocal(this Action<CancellationToken> work, CancellationToken cancellationToken) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs work with a result on the caller's node that is given the token which cancels it.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <inheritdoc cref="RunNumaLocal(Action{CancellationToken}, CancellationToken)"/>
    public static Task<T> RunNumaLocal<T>(this Func<CancellationToken, T> work, CancellationToken cancellationToken) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs asynchronous work on the caller's node that is given the token which cancels it.</summary>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal(Action{CancellationToken}, CancellationToken)"/>
    public static Task RunNumaLocal(this Func<CancellationToken, Task> work, CancellationToken cancellationToken) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);

    /// <summary>Runs asynchronous work with a result on the caller's node that is given the token which cancels it.</summary>
    /// <typeparam name="T">The type of the result.</typeparam>
    /// <returns>A task that ends when the work has ended, not when it first waits.</returns>
    /// <inheritdoc cref="RunNumaLocal(Action{CancellationToken}, CancellationToken)"/>
    public static Task<T> RunNumaLocal<T>(this Func<CancellationToken, Task<T>> work, CancellationToken cancellationToken) =>
        NumaTaskScheduler.Shared.RunOnNode(CallersNode, work, cancellationToken);
}
