using NumaSharp.EventLoop;
using NumaSharp.Logging;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>Stopping and closing, and sockets lost before that.</content>
public sealed partial class NumaUdpSocket
{
    private LogGate _failedHandlers;
    private LogGate _failedReceives;
    private LogGate _stuckHandlers;
    private LogGate _tooManyStuckHandlers;
    private LogGate _returnedHandlers;
    private LogGate _failedReplacements;

    // One thread completes both, in this order; it must not run the waiters' continuations.
    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isEnding;

    /// <summary>
    /// Stops accepting datagrams, and waits until the queued ones are received, handled and replied to. Receives then return 0.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the socket still accepts nothing more.</param>
    /// <returns>A task that completes when nothing is left.</returns>
    /// <exception cref="OperationCanceledException">Datagrams were left: a handler blocks, or no receive is pending.</exception>
    public Task StopAsync(CancellationToken cancellationToken = default) =>
        Task.WhenAll(Shards.Select(static shard => shard.StopAsync())).WaitAsync(cancellationToken);

    /// <summary>
    /// Closes the sockets at once: queued datagrams are lost, and counted. Waits up to 5 seconds for running handlers, except for
    /// one that calls this. Pending receives end with 0 and pending sends fail; their callers resume on the thread pool, and this
    /// does not wait for them.
    /// </summary>
    /// <returns>
    /// A task that completes then. The factory's own loops end with its last socket, unless connections use them; the task
    /// waits for their threads, unless one of them calls this.
    /// </returns>
    public ValueTask DisposeAsync()
    {
        // Waiting for this handler would be waiting for the caller.
        Shards.Select(static shard => shard.FindCaller()).FirstOrDefault(static found => found is not null)?.EndEarly();

        if (!Interlocked.Exchange(ref _isEnding, true))
        {
            _ = EndAsync();
        }

        // So would waiting for the loops' threads, one of which may run the caller: a handler, or code after a receive.
        var isOnLoop = NumaEventLoop.Current is { } loop && _loops.Contains(loop);
        return new ValueTask(isOnLoop ? _closed.Task : _released.Task);
    }

    internal DatagramSocket CreateReplacement(NumaUdpShard shard)
    {
        lock (_lock)
        {
            // The kernel moves its last socket into the place of one that leaves; a new socket comes last.
            var place = _order.IndexOf(shard.Index);
            if (place >= 0)
            {
                _order[place] = _order[^1];
                _order.RemoveAt(_order.Count - 1);
            }

            var socket = _opener.Open(_local, isFirst: false, IsGroup, out _);
            _order.Add(shard.Index);
            return socket;
        }
    }

    internal void OnSocketLost(NumaUdpShard shard, string error) =>
        _factory.Log.SocketLost(shard.LoopIndex, LocalEndPoint, error);

    internal void OnUnwatched(NumaUdpShard shard, string error) =>
        _factory.Log.SocketUnwatched(shard.LoopIndex, LocalEndPoint, error);

    internal void OnWatchedAgain(NumaUdpShard shard) =>
        _factory.Log.SocketWatched(shard.LoopIndex, LocalEndPoint);

    internal void OnRestartFailed(NumaUdpShard shard, string error)
    {
        // The kernel has renumbered the others.
        lock (_lock)
        {
            Steer();
        }

        _factory.Log.RestartFailed(shard.LoopIndex, LocalEndPoint, error);
    }

    internal void OnRestarted(NumaUdpShard shard)
    {
        if (shard.Index == 0)
        {
            _ = shard.WithSocket(Rejoin);
        }

        lock (_lock)
        {
            Steer();
        }

        _factory.Log.Restarted(shard.LoopIndex, LocalEndPoint);
    }

    internal void OnHandlerFailed(NumaUdpShard shard, Exception exception)
    {
        var failures = shard.Counters.OnHandlerFailed();
        if (TryPass(ref _failedHandlers))
        {
            _factory.Log.HandlerFailed(LocalEndPoint, shard.LoopIndex, failures, exception);
        }
    }

    internal bool IsLocked => _lock.IsHeldByCurrentThread;

    internal int LooksUntilStuck => _factory.LooksUntilStuck;

    internal void OnHandlerStuck(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _stuckHandlers))
        {
            _factory.Log.HandlerStuck(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds);
        }
    }

    internal void OnTooManyHandlersStuck(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _tooManyStuckHandlers))
        {
            _factory.Log.HandlersStuck(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds, NumaUdpShard.MaxLeftBehind);
        }
    }

    internal void OnHandlerReturned(NumaUdpShard shard, TimeSpan duration)
    {
        if (TryPass(ref _returnedHandlers))
        {
            _factory.Log.HandlerReturned(LocalEndPoint, shard.LoopIndex, (long)duration.TotalSeconds);
        }
    }

    internal void OnReplaceFailed(NumaUdpShard shard, Exception exception)
    {
        if (TryPass(ref _failedReplacements))
        {
            _factory.Log.ReplaceFailed(LocalEndPoint, shard.LoopIndex, exception);
        }
    }

    internal void OnReceiveFailed(NumaUdpShard shard, string error)
    {
        if (TryPass(ref _failedReceives))
        {
            _factory.Log.ReceiveFailed(LocalEndPoint, shard.LoopIndex, error);
        }
    }

    internal void Look()
    {
        foreach (var shard in Shards)
        {
            shard.Look();
        }

        if (_isOutOfGroups)
        {
            _ = Shards[0].WithSocket(Rejoin);
        }

        if (OwnAddresses?.RefreshIfAsked() is { } result)
        {
            OnAddressesRead(result);
        }
    }

    // Shards of several loops may have the same problem at the same time.
    private bool TryPass(ref LogGate gate)
    {
        lock (_lock)
        {
            return gate.TryPass();
        }
    }

    private void CloseShards()
    {
        foreach (var shard in Shards)
        {
            shard.Close();
        }
    }

    // Runs no application code: that could block, or wait for this.
    private async Task EndAsync()
    {
        // Not on the caller's thread, which may have a handler to finish, or hold locks.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            CloseShards();
            await WaitForReceiversAsync().ConfigureAwait(false);
            _opener.Fallbacks.EndAll();
            _factory.OnClosed(this);
            _closed.SetResult();
            _factory.ReleaseUnlessDisposed();
            _released.SetResult();
        }
        catch (Exception exception)
        {
            // Passed to the callers of DisposeAsync.
            _closed.TrySetException(exception);
            _released.TrySetException(exception);
        }
    }

    private async Task WaitForReceiversAsync()
    {
        var limit = _factory.EndLimit;
        try
        {
            await Task.WhenAll(Shards.Select(static shard => shard.Ended)).WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            _factory.Log.HandlerLeftBehind(LocalEndPoint, limit.TotalSeconds);
        }
    }
}
