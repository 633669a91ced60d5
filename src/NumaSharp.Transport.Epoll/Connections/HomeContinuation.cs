using System.Threading.Tasks.Sources;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The continuation of a pipe's wait, for a dispatcher with threads of its own. A wait can end on one worker of a node before
/// another has said how it goes on; <see cref="ManualResetValueTaskSourceCore{TResult}"/> then gives the continuation to the
/// thread pool, off the node. From there it is brought home. So is what a cancelled or aborted wait goes on with.
/// </summary>
internal sealed class HomeContinuation(EpollConnection connection) : IThreadPoolWorkItem
{
    /// <summary>What the wait is told to go on with; its state is the instance.</summary>
    public static readonly Action<object?> Run = static state => ((HomeContinuation)state!).RunAtHome();

    private Action<object?>? _continuation;
    private object? _state;
    private ExecutionContext? _context;

    /// <summary>
    /// Whether a continuation is brought home: not when its awaiter has a place of its own that it wants to go on in.
    /// </summary>
    public static bool IsNeeded(CallbackDispatcher dispatcher, ValueTaskSourceOnCompletedFlags flags) =>
        dispatcher.HasOwnThreads
        && ((flags & ValueTaskSourceOnCompletedFlags.UseSchedulingContext) == 0
            || (SynchronizationContext.Current is null && TaskScheduler.Current == TaskScheduler.Default));

    /// <summary>Notes the continuation of a wait.</summary>
    /// <exception cref="InvalidOperationException">That of the wait before has not run: the same wait, awaited twice.</exception>
    public void Set(Action<object?> continuation, object? state)
    {
        if (_continuation is not null)
        {
            throw new InvalidOperationException("A read or flush can be awaited once only.");
        }

        _continuation = continuation;
        _state = state;
    }

    /// <summary>On a worker of the dispatcher, or on the thread pool when there are no workers any more.</summary>
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
        // Not the dispatcher of the wait's beginning: the connection may be the loop's again.
        var dispatcher = connection.Dispatcher;
        if (!dispatcher.HasOwnThreads || dispatcher.IsHome)
        {
            Go();
            return;
        }

        // That of the awaiter, if it asked for it to flow: the thread has it now.
        _context = ExecutionContext.Capture();
        dispatcher.Queue(this);
    }

    // It may begin the next wait.
    private void Go()
    {
        var continuation = _continuation!;
        var state = _state;
        _continuation = null;
        _state = null;
        continuation(state);
    }
}
