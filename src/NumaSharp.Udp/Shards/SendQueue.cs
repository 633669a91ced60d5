using NumaSharp.Udp.Batching;

namespace NumaSharp.Udp.Shards;

/// <summary>
/// Sends of any thread: immediate while the socket has room, otherwise in the order of the calls. Thread-safe.
/// </summary>
/// <param name="shard">Sends.</param>
internal sealed class SendQueue(NumaUdpShard shard) : IBatchOperationOwner
{
    private readonly Lock _lock = new();
    private readonly List<BatchOperation> _waiting = [];

    // The send being tried, and whether the socket became writable again meanwhile.
    private BatchOperation? _current;
    private bool _isCalledAgain;

    // Set before the socket is closed, so a send that finds it closed finds this, too.
    private volatile bool _isClosed;
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
            ObjectDisposedException.ThrowIf(_isClosed && outcome.Refused > 0, shard);
            return ValueTask.FromResult((int)outcome.Datagrams);
        }

        return Wait(batch, (int)outcome.Datagrams, cancellationToken);
    }

    /// <summary>The socket has room.</summary>
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

    /// <summary>Fails the waiting sends. Their callers resume on the thread pool.</summary>
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

            // Under the lock, so that no thread completes it first; an already cancelled token calls back into this lock.
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

    /// <returns>Whether to continue with the next one.</returns>
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
            // If it is being tried, that thread checks the token afterwards. The batch may already be in another send.
            if (operation == _current || !operation.Token.IsCancellationRequested || !_waiting.Remove(operation))
            {
                return;
            }
        }

        operation.Fail(new OperationCanceledException(operation.Token));
    }
}
