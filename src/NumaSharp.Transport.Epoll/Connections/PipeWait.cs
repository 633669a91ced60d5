using System.Threading.Tasks.Sources;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The one operation of a pipe that the application waits for, with the token that may cancel it. Its pipe guards it with the
/// lock, and delivers each wait once, outside the lock.
/// </summary>
internal struct PipeWait
{
    private ManualResetValueTaskSourceCore<bool> _source;

    // Only pipes that were ever given a token have one, and keep it: Kestrel waits without.
    private TokenWatch? _watch;

    // Only pipes whose application runs on threads of its own have one.
    private HomeContinuation? _home;

    /// <summary>Begins a wait. The pipe's state says so already: a token that has fired calls back at once.</summary>
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
    /// Notes the cancellation by the token of this wait. False for the late callback of an earlier wait, which ended while the
    /// callback began.
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

    /// <summary>Notes how the wait goes on, and has it done where the connection's dispatcher runs the application.</summary>
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

    /// <summary>The token of the wait, and whether it has ended it.</summary>
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

        /// <returns>What a wait ends with that its token has canceled.</returns>
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
