using NumaSharp.Logging;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp;

/// <content>The end, and sockets that are lost before it.</content>
public sealed partial class NumaUdpSocket
{
    private LogGate _failedHandlers;
    private LogGate _failedReceives;
    private LogGate _stuckHandlers;
    private LogGate _tooManyStuckHandlers;
    private LogGate _returnedHandlers;
    private LogGate _failedReplacements;
    private volatile bool _isClosedByHandler;
    private Task? _disposal;

    /// <summary>
    /// Takes nothing more, and waits until what is queued was received, handled and answered. Who receives gets 0 then.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait; the socket still takes nothing more.</param>
    /// <returns>A task that ends when nothing is left.</returns>
    /// <exception cref="OperationCanceledException">Something was left, because a handler blocks, or nobody receives.</exception>
    public Task StopAsync(CancellationToken cancellationToken = default) =>
        Task.WhenAll(Shards.Select(static shard => shard.StopAsync())).WaitAsync(cancellationToken);

    /// <summary>
    /// Closes the sockets at once: what is queued is lost, and counted. Waits up to 5 seconds for running handlers, except
    /// for the one that calls this.
    /// </summary>
    /// <returns>A task that ends then.</returns>
    public ValueTask DisposeAsync()
    {
        if (Shards.Select(static shard => shard.FindCaller()).FirstOrDefault(static found => found is not null) is { } caller)
        {
            // Waiting for this handler, or for its loop's threads, would be waiting for the caller.
            _isClosedByHandler = true;
            caller.EndEarly();
        }

        lock (_lock)
        {
            return new ValueTask(_disposal ??= CloseAsync());
        }
    }

    internal DatagramSocket CreateReplacement(NumaUdpShard shard)
    {
        lock (_lock)
        {
            // The kernel puts the last one in the place of one that leaves, and who joins comes last.
            var place = _order.IndexOf(shard.Index);
            if (place >= 0)
            {
                _order[place] = _order[^1];
                _order.RemoveAt(_order.Count - 1);
            }

            var socket = _opener.Open(LocalEndPoint, isFirst: false, IsGroup, out _);
            _order.Add(shard.Index);
            return socket;
        }
    }

    internal void OnSocketLost(NumaUdpShard shard, string error) =>
        _factory.Log.SocketLost(shard.LoopIndex, LocalEndPoint, error);

    internal void OnRestartFailed(NumaUdpShard shard, string error) =>
        _factory.Log.RestartFailed(shard.LoopIndex, LocalEndPoint, error);

    internal void OnRestarted(NumaUdpShard shard)
    {
        lock (_lock)
        {
            Rejoin(shard);
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
            lock (_lock)
            {
                Rejoin(Shards[0]);
            }
        }

        if (OwnAddresses?.RefreshIfAsked() is { } result)
        {
            OnAddressesRead(result);
        }
    }

    // Shards of several loops have the same trouble at a time.
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

    private async Task CloseAsync()
    {
        // Without the lock, which shards take.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        CloseShards();
        var limit = _factory.EndLimit;
        try
        {
            await Task.WhenAll(Shards.Select(static shard => shard.Ended)).WaitAsync(limit).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            _factory.Log.HandlerLeftBehind(LocalEndPoint, limit.TotalSeconds);
        }

        _opener.Fallbacks.EndAll();
        _factory.OnClosed(this, isInHandler: _isClosedByHandler);
    }
}
