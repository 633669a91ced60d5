using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.EventLoop;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll;

/// <content>Until when the loops run for the transport, and what ends with it.</content>
public sealed partial class EpollTransportFactory
{
    /// <summary>
    /// Stops listening, ends the connections that are left, stops the loops, unless others use them, and frees the pools that
    /// the transport created.
    /// </summary>
    public void Dispose()
    {
        EpollListener[] listeners;
        NumaEventLoopGroup? loops;
        lock (_lock)
        {
            _disposed = true;
            listeners = [.. _listeners];
            loops = _loops;
        }

        // Connection attempts must end before the loops they wait for.
        _stopping.Cancel();
        _clientFallbacks.EndAll();
        Array.ForEach(listeners, static listener => listener.Unbind());
        foreach (var connection in loops?.HandlersOf(_user).OfType<ConnectionEvents>() ?? [])
        {
            connection.Abandon();
        }

        ReleaseOwned(static _ => true);

        // The loggers may be disposed next. A blocking one must not keep the host from ending.
        _ = Outbox.Instance.Flush(_options.StopLimit.Of(Outbox.Patience));
    }

    private void OnListenerDisposed(EpollListener listener)
    {
        lock (_lock)
        {
            _listeners.Remove(listener);
            Volatile.Write(ref _keepsLoops, _hasConnected || _listeners.Count > 0);
        }

        ReleaseWhenIdle();
    }

    // On another thread: a connection may end under the accept lock, which Listen takes under this factory's lock, and on a
    // loop's thread, which stopping the loops waits for.
    private void OnConnectionClosed()
    {
        if (!Volatile.Read(ref _keepsLoops))
        {
            ThreadPool.UnsafeQueueUserWorkItem(static factory => factory.ReleaseWhenIdle(), this, preferLocal: false);
        }
    }

    // The loops end with the last listener or the last connection that outlives it; once used by a client, with the factory.
    private void ReleaseWhenIdle()
    {
        if (!Volatile.Read(ref _keepsLoops))
        {
            ReleaseOwned(static factory => !factory._keepsLoops
                && factory._counters.All(static counters => counters.Active == 0));
        }
    }

    // Outside the lock: stopping waits for the loops' threads, and one closing a connection may be about to take this lock.
    private void ReleaseOwned(Func<EpollTransportFactory, bool> isDue)
    {
        NumaEventLoopGroup? loops;
        NumaMemoryPools? pools = null;
        LoopShard[] shards;
        lock (_lock)
        {
            if (!isDue(this))
            {
                return;
            }

            shards = _shards ?? [];
            _shards = null;
            loops = _loops;
            _loops = null;
            if (_ownsPools)
            {
                pools = _pools;
                _pools = null;
            }
        }

        Array.ForEach(shards, static shard => shard.Sweep.Dispose());
        if (loops is not null)
        {
            _shared.End(_user);
        }

        pools?.Dispose();
    }
}
