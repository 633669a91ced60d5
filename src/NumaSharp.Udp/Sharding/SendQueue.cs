using NumaSharp.Udp.Batching;

namespace NumaSharp.Udp.Sharding;

/// <summary>
/// Sends of any thread: at once while the socket has room, in the order of the calls when it has none. Thread-safe.
/// </summary>
/// <param name="shard">Sends.</param>
internal sealed class SendQueue(NumaUdpShard shard) : IBatchOperationOwner
{
    private readonly Lock _lock = new();
    private readonly List<BatchOperation> _waiting = [];

    // The send that is tried just now, and whether there was room again meanwhile.
    private BatchOperation? _current;
    private bool _isCalledAgain;
    private bool _isClosed;
    private volatile bool _isBlocked;

    public ValueTask<int> SendAsync(NumaDatagramBatch batch, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        batch.CheckUsable();
        batch.BeginSend();
        SendOutcome outcome = default;
        if (!_isBlocked && !shard.Send(batch, ref outcome).IsAgain)
        {
            ObjectDisposedException.ThrowIf(shard.IsClosed && outcome.Refused > 0, shard);
            return ValueTask.FromResult((int)outcome.Datagrams);
        }

        return Wait(batch, (int)outcome.Datagrams, cancellationToken);
    }

    /// <summary>There is room.</summary>
    public void OnWritable()
    {
        while (TakeFirst() is { } operation)
        {
            SendOutcome outcome = default;
            var result = shard.Send(operation.Batch!, ref outcome);
            operation.Sent += (int)outcome.Datagrams;
            if (!PutBack(operation, isDone: !result.IsAgain, isRefused: outcome.Refused > 0))
            {
                return;
            }
        }
    }

    /// <summary>Waiting sends fail. Their callers resume on the thread pool.</summary>
    public void Close()
    {
        BatchOperation[] left;
        lock (_lock)
        {
            _isClosed = true;
            left = [.. _waiting.Where(operation => operation != _current)];
            _waiting.RemoveAll(operation => operation != _current);
        }

        foreach (var operation in left)
        {
            operation.Fail(new ObjectDisposedException(nameof(NumaUdpSocket)), byPool: true);
        }
    }

    private ValueTask<int> Wait(NumaDatagramBatch batch, int sent, CancellationToken cancellationToken)
    {
        var operation = batch.Operation;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isClosed, shard);
            operation.Begin(batch, cancellationToken);
            operation.Sent = sent;
            var task = operation.Task;
            _waiting.Add(operation);
            _isBlocked = true;

            // Under the lock, so that nobody completes it before; one that is cancelled already comes back into it.
            operation.WatchCancellation(this);
            shard.Watch.WaitForSends(true);
            return task;
        }
    }

    private BatchOperation? TakeFirst()
    {
        lock (_lock)
        {
            if (_current is not null)
            {
                _isCalledAgain = true;
                return null;
            }

            _isCalledAgain = false;
            if (_waiting.Count == 0)
            {
                if (_isBlocked)
                {
                    _isBlocked = false;
                    shard.Watch.WaitForSends(false);
                }

                return null;
            }

            return _current = _waiting[0];
        }
    }

    /// <returns>Whether to go on with the next one.</returns>
    private bool PutBack(BatchOperation operation, bool isDone, bool isRefused)
    {
        Exception? failure;
        lock (_lock)
        {
            _current = null;
            failure = isDone && !(isRefused && _isClosed) ? null
                : !isDone && operation.Token.IsCancellationRequested ? new OperationCanceledException(operation.Token)
                : _isClosed ? new ObjectDisposedException(nameof(NumaUdpSocket))
                : null;
            if (!isDone && failure is null)
            {
                return _isCalledAgain;
            }

            _waiting.Remove(operation);
        }

        if (failure is null)
        {
            operation.Complete(operation.Sent);
        }
        else
        {
            operation.Fail(failure);
        }

        return true;
    }

    void IBatchOperationOwner.OnCancelled(BatchOperation operation)
    {
        lock (_lock)
        {
            // Whoever tries it just now looks afterwards. A batch may be in another send by now.
            if (operation == _current || !operation.Token.IsCancellationRequested || !_waiting.Remove(operation))
            {
                return;
            }
        }

        operation.Fail(new OperationCanceledException(operation.Token));
    }
}
