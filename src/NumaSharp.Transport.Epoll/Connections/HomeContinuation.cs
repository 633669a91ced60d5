using System.Threading.Tasks.Sources;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The continuation of a pipe's wait, for a dispatcher with its own threads. A wait can complete on one worker of a node before
/// another has registered its continuation; <see cref="ManualResetValueTaskSourceCore{TResult}"/> then queues it to the thread
/// pool, off the node. This class brings it back, as it does after a cancelled or aborted wait.
/// </summary>
internal sealed class HomeContinuation(EpollConnection connection) : IThreadPoolWorkItem
{
    /// <summary>The continuation passed to the wait; its state is the instance.</summary>
    public static readonly Action<object?> Run = static state => ((HomeContinuation)state!).RunAtHome();

    private Action<object?>? _continuation;
    private object? _state;
    private ExecutionContext? _context;

    /// <summary>
    /// Whether a continuation is brought home: not if its awaiter captured a context or scheduler to resume on.
    /// </summary>
    public static bool IsNeeded(CallbackDispatcher dispatcher, ValueTaskSourceOnCompletedFlags flags) =>
        dispatcher.HasOwnThreads
        && ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) == 0
            || (SynchronizationContext.Current is null && TaskScheduler.Current == TaskScheduler.Default));

    /// <summary>Stores the continuation of a wait.</summary>
    /// <exception cref="InvalidOperationException">The previous one has not run: the same wait was awaited twice.</exception>
    public void Set(Action<object?> continuation, object? state)
    {
        if (_continuation is not null)
        {
            throw new InvalidOperationException("A read or flush can be awaited once only.");
        }

        _continuation = continuation;
        _state = state;
    }

    /// <summary>On a worker of the dispatcher, or on the thread pool once there are no workers.</summary>
    void IThreadPoolWorkItem.Execute()
    {
        var context = _context;
        _context = null;
        if (context is null)
        {
            Go();
        }
        else
        {
            ExecutionContext.Run(context, static it => ((HomeContinuation)it!).Go(), this);
        }
    }

    private void RunAtHome()
    {
        // Not the dispatcher at the start of the wait: the connection may be back on the loop.
        var dispatcher = connection.Dispatcher;
        if (!dispatcher.HasOwnThreads || dispatcher.IsHome)
        {
            Go();
            return;
        }

        // The awaiter's context, if it asked for it to flow: it is the thread's current one here.
        _context = ExecutionContext.Capture();
        dispatcher.Queue(this);
    }

    // The fields are cleared first: the continuation may start the next wait.
    private void Go()
    {
        var continuation = _continuation!;
        var state = _state;
        _continuation = null;
        _state = null;
        continuation(state);
    }
}
