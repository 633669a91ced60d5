using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace NumaSharp.Scheduling;

/// <summary>One unit of work as the queues store it: two references, so that queueing allocates nothing.</summary>
internal readonly struct WorkItem
{
    // Callers cannot get hold of this object, so it is never mistaken for their state.
    private static readonly object s_runsItself = new();

    private readonly object _work;
    private readonly object? _state;

    public WorkItem(IThreadPoolWorkItem item)
    {
        _work = item;
        _state = s_runsItself;
    }

    public WorkItem(Action<object?> callback, object? state)
    {
        _work = callback;
        _state = state;
    }

    public WorkItem(Task task, ITaskRunner runner)
    {
        _work = task;
        _state = runner;
    }

    private WorkItem(object work, object? state)
    {
        _work = work;
        _state = state;
    }

    // No constructor: a lambda would fit two of them.
    public static WorkItem Posted(SendOrPostCallback callback, object? state) => new((object)callback, state);

    public object? State => _state;

    /// <summary>False for the default value, which stands for no item.</summary>
    public bool IsThere => _work is not null;

    /// <summary>Whether it runs this task for this scheduler, and is not wrapped for measuring.</summary>
    public bool Is(Task task, ITaskRunner runner) => ReferenceEquals(_work, task) && ReferenceEquals(_state, runner);

    public Task? TaskOf(ITaskRunner runner) =>
        ReferenceEquals(_state, runner) ? _work as Task : (_work as PooledWork<QueuedItem>)?.State.Item.TaskOf(runner);

    public void Execute()
    {
        // The constructors decide which of these it is, so nothing is checked twice. Exact types: a cast to a delegate with
        // variant type parameters is a call.
        if (ReferenceEquals(_state, s_runsItself))
        {
            Unsafe.As<IThreadPoolWorkItem>(_work).Execute();
        }
        else if (_work.GetType() == typeof(Action<object?>))
        {
            Unsafe.As<Action<object?>>(_work)(_state);
        }
        else if (_work.GetType() == typeof(SendOrPostCallback))
        {
            Unsafe.As<SendOrPostCallback>(_work)(_state);
        }
        else
        {
            Unsafe.As<ITaskRunner>(_state!).Run(Unsafe.As<Task>(_work));
        }
    }
}

/// <summary>An item whose wait is measured; a <see cref="PooledWork{TState}"/> stands for it in the queues.</summary>
/// <param name="Item">The queued item.</param>
/// <param name="Group">The group that it was queued on.</param>
/// <param name="QueuedAt">The time of queueing, as a timestamp of <see cref="Stopwatch"/>.</param>
/// <param name="IsSample">Whether its wait stands for those of the unmeasured items.</param>
/// <param name="Parent">The activity that it was queued in, if that is recorded.</param>
internal readonly record struct QueuedItem(WorkItem Item, WorkerGroup Group, long QueuedAt, bool IsSample, Activity? Parent)
{
    public void Execute()
    {
        try
        {
            Group.Scheduler.NoteStart(this);
        }
        catch (Exception e)
        {
            // A listener threw: the item must run all the same.
            Group.Scheduler.ReportUnhandled(e);
        }

        Item.Execute();
    }
}

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

/// <summary>A task scheduler seen from its workers: <see cref="TaskScheduler.TryExecuteTask"/> is protected.</summary>
internal interface ITaskRunner
{
    void Run(Task task);
}
