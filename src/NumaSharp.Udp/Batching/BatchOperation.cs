using System.Threading.Tasks.Sources;

namespace NumaSharp.Udp.Batching;

/// <summary>
/// A batch's pending receive or send. The caller resumes inline, on the thread that completes it: the loop's. Once the socket is
/// closed it resumes on the thread pool, because the closing thread must not run application code.
/// </summary>
internal sealed class BatchOperation : IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _core;
    private CancellationTokenRegistration _cancellation;
    private IBatchOperationOwner? _owner;
    private int _isPending;

    public bool IsPending => Volatile.Read(ref _isPending) != 0;

    /// <summary>The batch of the operation, while it is pending.</summary>
    public NumaDatagramBatch? Batch { get; private set; }

    public CancellationToken Token { get; private set; }

    /// <summary>The number of datagrams that the pending send has sent so far.</summary>
    public int Sent { get; set; }

    /// <summary>The task to return to the caller.</summary>
    public ValueTask<int> Task => new(this, _core.Version);

    /// <summary>Begins to wait.</summary>
    public void Begin(NumaDatagramBatch batch, CancellationToken token)
    {
        _core.Reset();
        Batch = batch;
        Token = token;
        Volatile.Write(ref _isPending, 1);
    }

    /// <summary>Notifies the owner of cancellation. Must be called before the operation can complete.</summary>
    public void WatchCancellation(IBatchOperationOwner owner)
    {
        if (Token.CanBeCanceled)
        {
            _owner = owner;
            _cancellation = Token.UnsafeRegister(
                static state => ((BatchOperation)state!).OnCancelled(), this);
        }
    }

    /// <param name="result">The number of datagrams.</param>
    /// <param name="byPool">Whether the caller resumes on the thread pool.</param>
    public void Complete(int result, bool byPool = false)
    {
        End(byPool);
        _core.SetResult(result);
    }

    /// <param name="exception">The exception for the caller.</param>
    /// <param name="byPool">Whether the caller resumes on the thread pool.</param>
    public void Fail(Exception exception, bool byPool = false)
    {
        End(byPool);
        _core.SetException(exception);
    }

    int IValueTaskSource<int>.GetResult(short token) => _core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _core.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _core.OnCompleted(continuation, state, token, flags);

    // May be late, when the object already serves another operation: the owner checks.
    private void OnCancelled() => _owner?.OnCancelled(this);

    private void End(bool byPool)
    {
        _core.RunContinuationsAsynchronously = byPool;

        // Without waiting: a callback that is already running finds the operation ended.
        _cancellation.Unregister();
        _cancellation = default;
        Token = default;
        Batch = null;
        Volatile.Write(ref _isPending, 0);
    }
}

/// <summary>Completes operations.</summary>
internal interface IBatchOperationOwner
{
    /// <summary>The operation's token was cancelled: ends the operation, if it has not ended yet.</summary>
    void OnCancelled(BatchOperation operation);
}
