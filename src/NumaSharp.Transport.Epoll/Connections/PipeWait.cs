using System.Threading.Tasks.Sources;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// The one operation of a pipe that the application waits for, with the token that may cancel it. Its pipe guards it with the
/// lock, and delivers each wait once, outside the lock.
/// </summary>
internal struct PipeWait
{
    private ManualResetValueTaskSourceCore<bool> _source;
    private CancellationTokenRegistration _registration;
    private CancellationToken _token;
    private bool _isTokenCanceled;

    /// <summary>Begins a wait. The pipe's state says so already: a token that has fired calls back at once.</summary>
    public short Begin(object pipe, Action<object?> onTokenCanceled, CancellationToken token)
    {
        _source.Reset();
        _isTokenCanceled = false;
        var version = _source.Version;
        if (token.CanBeCanceled)
        {
            _token = token;
            _registration = token.UnsafeRegister(onTokenCanceled, pipe);
        }

        return version;
    }

    /// <summary>
    /// Notes the cancellation by the token of this wait. False for the late callback of an earlier wait, which ended while the
    /// callback began.
    /// </summary>
    public bool TryNoteToken() => _isTokenCanceled = _token.IsCancellationRequested;

    /// <summary>Ends the wait; the continuation runs here.</summary>
    public void Deliver(Exception? error)
    {
        if (_token.CanBeCanceled)
        {
            _registration.Unregister();
            _registration = default;
        }

        var token = _token;
        _token = default;
        if (_isTokenCanceled)
        {
            _source.SetException(new OperationCanceledException(token));
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

    public void OnCompleted(
        Action<object?> continuation, object? state, short version, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, version, flags);
}
