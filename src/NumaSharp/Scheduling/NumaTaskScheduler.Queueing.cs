using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace NumaSharp.Scheduling;

public sealed partial class NumaTaskScheduler
{
    /// <summary>
    /// Queues an item on a node without allocating. <c>ExecutionContext</c> does not flow; an exception goes to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. From a worker of the node it goes to that worker's own queue,
    /// which it takes newest first.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="item">The item; it may be queued again once it runs.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public void QueueOnNode(int nodeIndex, IThreadPoolWorkItem item)
    {
        ArgumentNullException.ThrowIfNull(item);
        Enqueue(GroupAt(nodeIndex), new WorkItem(item), isFair: false);
    }

    /// <summary>
    /// Queues a callback on a node without allocating. <c>ExecutionContext</c> does not flow; an exception goes to
    /// <see cref="NumaTaskSchedulerOptions.UnhandledException"/>. From a worker of the node it goes to that worker's own queue,
    /// which it takes newest first.
    /// </summary>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="callback">The callback.</param>
    /// <param name="state">The callback's argument.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    [OverloadResolutionPriority(1)]
    public void QueueOnNode(int nodeIndex, Action<object?> callback, object? state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        Enqueue(GroupAt(nodeIndex), new WorkItem(callback, state), isFair: false);
    }

    /// <summary>
    /// Queues a callback with a state of any type on a node, without allocating in the steady state: the object that carries both
    /// is reused, as long as no more than about a thousand wait at a time. Otherwise as
    /// <see cref="QueueOnNode(int, Action{object?}, object?)"/>, which the compiler prefers for callbacks that take any object:
    /// to keep a value from being boxed, write the type of a lambda's parameter, as in <c>static (int number) => ...</c>.
    /// </summary>
    /// <typeparam name="TState">The type of the state.</typeparam>
    /// <param name="nodeIndex">The position of the node in <see cref="Plan"/>.</param>
    /// <param name="callback">The callback.</param>
    /// <param name="state">The callback's argument.</param>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such position.</exception>
    /// <exception cref="ObjectDisposedException">The scheduler was disposed.</exception>
    public void QueueOnNode<TState>(int nodeIndex, Action<TState> callback, TState state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        var group = GroupAt(nodeIndex);
        Enqueue(group, new WorkItem(PooledWork<TState>.Rent(callback, state)), isFair: false);
    }

    /// <summary>
    /// Called after putting something into a queue of the group, which ends with a full fence: the item must be visible before
    /// checking which workers sleep and whether the scheduler has stopped (README.md).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Announce(WorkerGroup group)
    {
        group.Notify();
        if (IsStopped)
        {
            HandOver();
        }
    }

    /// <summary>Runs an item; no exception leaves this method.</summary>
    internal void Execute(WorkItem item)
    {
        try
        {
            item.Execute();
        }
        catch (Exception e)
        {
            ReportUnhandled(e);
        }
    }

    internal void ReportUnhandled(Exception exception)
    {
        if (_unhandledException is null)
        {
            ThrowUnhandled(exception);
            return;
        }

        try
        {
            _unhandledException(exception);
        }
        catch (Exception e)
        {
            ThrowUnhandled(new AggregateException(exception, e));
        }
    }

    // On a pool thread, where it is an unhandled exception like any other: the runtime's events and handlers see it, and
    // without one of them it ends the process.
    private static void ThrowUnhandled(Exception exception) =>
        ThreadPool.UnsafeQueueUserWorkItem(
            static info => info.Throw(), ExceptionDispatchInfo.Capture(exception), preferLocal: false);

    private WorkerGroup GroupAt(int nodeIndex)
    {
        CheckIndex(nodeIndex);
        ThrowIfClosed();
        return _groupOfNode[nodeIndex];
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CheckIndex(int nodeIndex)
    {
        if ((uint)nodeIndex >= (uint)_groupOfNode.Length)
        {
            ThrowNoSuchNode(nodeIndex);
        }
    }

    [DoesNotReturn]
    private void ThrowNoSuchNode(int nodeIndex) => throw new ArgumentOutOfRangeException(
        nameof(nodeIndex), nodeIndex, $"The plan's nodes have the positions 0 to {_groupOfNode.Length - 1}.");

    private void Enqueue(WorkerGroup group, WorkItem item, bool isFair)
    {
        if (IsWatched)
        {
            Push(group, Watched(group, item), isFair);
        }
        else
        {
            Push(group, item, isFair);
        }

        Announce(group);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Push(WorkerGroup group, WorkItem item, bool isFair)
    {
        var worker = Worker.Current;
        if (isFair || worker is null || worker.Group != group || !worker.Deque.TryPush(item))
        {
            group.Queue.Enqueue(item);
        }
    }
}
