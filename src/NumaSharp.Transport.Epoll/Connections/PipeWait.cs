using System.Threading.Tasks.Sources;
using NumaSharp.Transport.Epoll.Dispatching;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The one operation of a pipe that the application waits for, and the token that may cancel it. The pipe's lock guards it; the
/// pipe delivers each wait once, outside the lock.
/// </summary>
internal struct PipeWait
{
    private ManualResetValueTaskSourceCore<bool> _source;

    // Created for the first wait with a token, then kept; Kestrel waits without one.
    private TokenWatch? _watch;

    // Only for a dispatcher with its own threads.
    private HomeContinuation? _home;

    /// <summary>Begins a wait. The pipe must already be in its waiting state: a fired token calls back at once.</summary>
    public short Begin(object pipe, Action<object?> onTokenCanceled, CancellationToken token)
    {
        _source.Reset();
        var version = _source.Version;
        if (token.CanBeCanceled)
        {
            _watch ??= new TokenWatch();
            _watch.Begin(pipe, onTokenCanceled, token);
        }

        return version;
    }

    /// <summary>
    /// Records a cancellation by this wait's token. False for a late callback of an earlier wait that completed while the
    /// callback was starting.
    /// </summary>
    public readonly bool TryNoteToken() => _watch?.TryNote() ?? false;

    /// <summary>Ends the wait; the continuation runs here.</summary>
    public void Deliver(Exception? error)
    {
        if (_watch?.End() is { } canceled)
        {
            _source.SetException(canceled);
        }
        else if (error is not null)
        {
            _source.SetException(error);
        }
        else
        {
            _source.SetResult(true);
        }
    }

    public void GetResult(short version) => _source.GetResult(version);

    public ValueTaskSourceStatus GetStatus(short version) => _source.GetStatus(version);

    /// <summary>Registers the wait's continuation, to run where the connection's dispatcher runs the application.</summary>
    public void OnCompleted(
        EpollConnection connection,
        Action<object?> continuation,
        object? state,
        short version,
        ValueTaskSourceOnCompletedFlags flags)
    {
        if (!HomeContinuation.IsNeeded(connection.Dispatcher, flags))
        {
            _source.OnCompleted(continuation, state, version, flags);
            return;
        }

        _home ??= new HomeContinuation(connection);
        _home.Set(continuation, state);
        _source.OnCompleted(HomeContinuation.Run, _home, version, flags);
    }

    /// <summary>The wait's token, and whether it cancelled the wait.</summary>
    private sealed class TokenWatch
    {
        private CancellationTokenRegistration _registration;
        private CancellationToken _token;
        private bool _isCanceled;

        public void Begin(object pipe, Action<object?> onTokenCanceled, CancellationToken token)
        {
            _isCanceled = false;
            _token = token;
            _registration = token.UnsafeRegister(onTokenCanceled, pipe);
        }

        public bool TryNote() => _isCanceled = _token.IsCancellationRequested;

        /// <returns>The exception if the token cancelled the wait; otherwise <see langword="null"/>.</returns>
        public OperationCanceledException? End()
        {
            _registration.Unregister();
            _registration = default;
            var canceled = _isCanceled ? new OperationCanceledException(_token) : null;
            _token = default;
            _isCanceled = false;
            return canceled;
        }
    }
}

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
            Resume();
        }
        else
        {
            ExecutionContext.Run(context, static it => ((HomeContinuation)it!).Resume(), this);
        }
    }

    private void RunAtHome()
    {
        // Not the dispatcher at the start of the wait: the connection may be back on the loop.
        var dispatcher = connection.Dispatcher;
        if (!dispatcher.HasOwnThreads || dispatcher.IsHome)
        {
            Resume();
            return;
        }

        // The awaiter's context, if it asked for it to flow: it is the thread's current one here.
        _context = ExecutionContext.Capture();
        dispatcher.Queue(this);
    }

    // The fields are cleared first: the continuation may start the next wait.
    private void Resume()
    {
        var continuation = _continuation!;
        var state = _state;
        _continuation = null;
        _state = null;
        continuation(state);
    }
}
