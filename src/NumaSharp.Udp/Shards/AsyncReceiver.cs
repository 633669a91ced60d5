using NumaSharp.Udp.Batching;

namespace NumaSharp.Udp.Shards;

/// <summary>
/// Completes the pending receive on the loop's thread; if none is pending, remembers that data arrived, so that the next receive
/// tries before it waits.
/// </summary>
internal sealed class AsyncReceiver(NumaUdpShard shard) : ShardReceiver, IBatchOperationOwner
{
    private const int Idle = 0;
    private const int Signalled = 1;
    private const int Waiting = 2;

    private BatchOperation? _waiter;
    private int _state;
    private int _isReceiving;
    private int _inOneGo;

    public ValueTask<int> ReceiveAsync(NumaDatagramBatch batch, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        batch.CheckUsable();
        if (Interlocked.Exchange(ref _isReceiving, 1) != 0)
        {
            throw new InvalidOperationException("Another receive of this shard has not completed.");
        }

        var isOverdue = ++_inOneGo > BatchesPerTurn;
        if (!isOverdue)
        {
            Interlocked.CompareExchange(ref _state, Idle, Signalled);
            if (Receive(batch) is { } count)
            {
                Volatile.Write(ref _isReceiving, 0);
                return ValueTask.FromResult(count);
            }
        }

        return Wait(batch, isOverdue, cancellationToken);
    }

    public override void OnReady()
    {
        while (true)
        {
            switch (Interlocked.CompareExchange(ref _state, Idle, Waiting))
            {
                case Waiting:
                    Serve();
                    return;
                case Signalled:
                    return;
                default:
                    if (Interlocked.CompareExchange(ref _state, Signalled, Idle) == Idle)
                    {
                        return;
                    }

                    break;
            }
        }
    }

    public override void OnClosed()
    {
        OnReady();
        shard.OnReceiverEnded();
    }

    private ValueTask<int> Wait(NumaDatagramBatch batch, bool isOverdue, CancellationToken cancellationToken)
    {
        _inOneGo = 0;
        var operation = batch.Operation;
        operation.Begin(batch, cancellationToken);
        var task = operation.Task;
        _waiter = operation;
        operation.WatchCancellation(this);

        // Also for a cancellation or an end that came before the wait began.
        if (Interlocked.Exchange(ref _state, Waiting) == Signalled || isOverdue || shard.IsStopping
            || cancellationToken.IsCancellationRequested)
        {
            shard.Post();
        }

        if (shard.IsClosed)
        {
            // The loop may have ended.
            OnReady();
        }

        return task;
    }

    // This thread owns the waiter. Once the shard is closed, it may be the closing thread.
    private void Serve()
    {
        while (true)
        {
            var operation = _waiter!;
            if (operation.Token.IsCancellationRequested)
            {
                Release();
                operation.Fail(new OperationCanceledException(operation.Token), byPool: shard.IsClosed);
                return;
            }

            if (Receive(operation.Batch!) is { } count)
            {
                Release();
                operation.Complete(count, byPool: shard.IsClosed);
                return;
            }

            // A stop posts after it has begun. Trying again here for its sake would not end while receives fail.
            if (Interlocked.Exchange(ref _state, Waiting) != Signalled && !operation.Token.IsCancellationRequested)
            {
                return;
            }

            if (Interlocked.CompareExchange(ref _state, Idle, Waiting) != Waiting)
            {
                return;
            }
        }
    }

    // Handled on the loop, for the receive pending then: a late callback may find another one.
    void IBatchOperationOwner.OnCancelled(BatchOperation operation) => shard.Post();

    private void Release()
    {
        _waiter = null;
        Volatile.Write(ref _isReceiving, 0);
    }

    /// <returns>The number of datagrams; 0 at the end, and <see langword="null"/> if there is nothing yet.</returns>
    private int? Receive(NumaDatagramBatch batch)
    {
        for (var i = 0; i < BatchesPerTurn; i++)
        {
            switch (shard.Receive(batch, out _))
            {
                case ReceiveState.Received:
                    return batch.Count;
                case ReceiveState.Ended:
                    shard.OnDrained();
                    return 0;
                case ReceiveState.Nothing:
                    return null;
                case ReceiveState.Dropped or ReceiveState.PeerError:
                    break;
            }
        }

        // Let the loop's other sockets have their turn.
        shard.Post();
        return null;
    }
}
