using System.Net;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Logging;
using NumaSharp.Udp.Sharding;

namespace NumaSharp.Udp;

/// <content>The loops, from the first socket to the last.</content>
public sealed partial class NumaUdpSocketFactory
{
    private const int ManyHandOvers = 20;

    private static readonly TimeSpan s_lookInterval = TimeSpan.FromSeconds(1);

    // By loop: the counters of closed sockets.
    private readonly Dictionary<int, NumaUdpShardStatistics> _closed = [];

    private readonly long[] _handOvers;
    private LogGate _handedOver;

    /// <summary>
    /// Changes <see cref="NumaUdpFactoryOptions.StallThreshold"/> from the watchdog's next sample on. Thread-safe.
    /// </summary>
    /// <param name="threshold">100 microseconds to 10 seconds.</param>
    /// <exception cref="ArgumentOutOfRangeException">The threshold is outside its range; nothing was changed.</exception>
    /// <exception cref="InvalidOperationException">The factory was created without a watchdog (0).</exception>
    public void SetStallThreshold(TimeSpan threshold) => _shared.SetStallThreshold(threshold);

    internal TimeSpan EndLimit => _options.StopLimit.Of(_options.EndLimit);

    internal TimeProvider? Time => _options.Time;

    /// <summary>A handler call hangs if it is still the same one this many checks after the first.</summary>
    internal int LooksUntilStuck => StuckLoopMonitor.LooksFor(_shared.StallThreshold);

    internal NumaMemoryPool PoolOf(NumaEventLoop loop) => _pools![loop.NodeIndex];

    /// <summary>A socket was closed: its counters are kept.</summary>
    internal void OnClosed(NumaUdpSocket socket)
    {
        lock (_lock)
        {
            _sockets.Remove(socket);

            // With the lock, so that no reader sees more before than afterwards: sends that find the socket closed are counted.
            foreach (var shard in socket.GetStatistics())
            {
                // A shard closed on purpose must not make the loop count as not serving.
                var all = _closed.TryGetValue(shard.LoopIndex, out var known) ? known.Plus(shard) : shard;
                _closed[shard.LoopIndex] = all with { Sockets = 0, HandlersStuck = 0, IsServing = true };
            }
        }
    }

    /// <summary>After a socket was closed. Waits for the loops' threads, so none of them may wait for this.</summary>
    internal void ReleaseUnlessDisposed()
    {
        lock (_lock)
        {
            if (_disposed)
            {
                // Left to Dispose, which then releases everything. It may run on a loop, and then does not wait for this.
                return;
            }
        }

        ReleaseWhenIdle();
    }

    private NumaUdpSocket Open(
        IPEndPoint local, IPEndPoint? remote, Func<NumaUdpShard, IDatagramHandler>? handlerOf, NumaUdpOptions? options)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException("NUMA datagram sockets need Linux; use Socket elsewhere.");
        }

        options = options?.Copy() ?? new NumaUdpOptions();
        options.Validate();
        int[]? shards = null;
        NumaUdpSocket? socket = null;
        try
        {
            IReadOnlyList<NumaEventLoop> loops;
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                loops = EnsureLoops();
                shards = ShardPlacement.ChooseLoops(loops, remote is null ? options.Shards : 1, CountShards(loops.Count));
                _opening.Add(shards);
            }

            // Without the lock, because the application creates the handlers.
            socket = new NumaUdpSocket(this, local, remote, options, loops, shards, handlerOf);
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                socket.Steer(_plan);
                socket.Start();
                _sockets.Add(socket);
                _opening.Remove(shards);
            }

            Log.Receiving(socket.LocalEndPoint, shards.Length);
            return socket;
        }
        catch
        {
            socket?.Abandon();
            lock (_lock)
            {
                if (shards is not null)
                {
                    _opening.Remove(shards);
                }
            }

            ReleaseWhenIdle();
            throw;
        }
    }

    private IReadOnlyList<NumaEventLoop> EnsureLoops()
    {
        _pools ??= new NumaMemoryPools(_plan, new NumaMemoryPoolsOptions
        {
            Memory = _platform.Memory,
            Affinity = _platform.Affinity,
            Fallbacks = Fallbacks,
        });
        if (_loops is null)
        {
            _loops = _shared.Use(User, _plan);
            _look = (_options.Time ?? BackgroundTime.Instance).CreateTimer(
                static factory => ((NumaUdpSocketFactory)factory!).Look(), this, s_lookInterval, s_lookInterval);
        }

        return _loops.Loops;
    }

    private LoopUser CreateUser()
    {
        var report = new StuckLoopReport(
            _plan.LoopCount,
            (loop, seconds, callback, reason) => Log.LoopStuck(loop.Index, loop.NodeId.Value, seconds, callback, reason),
            (loop, seconds) => Log.LoopResumed(loop.Index, loop.NodeId.Value, seconds));
        return new LoopUser
        {
            UnhandledException = Log.LoopCallbackFailed,
            HandedOver = OnHandedOver,
            Failed = (loop, exception) => Log.LoopFailed(loop.Index, exception.Message),
            Stuck = report.OnStuck,
            WentOn = report.OnWentOn,
        };
    }

    // A few are normal: the first datagrams of a process are handled by code that is compiled on the loop. Called by the outbox's
    // thread only. The loop's own count has those of connections, too.
    private void OnHandedOver(NumaEventLoop loop, EventLoopHandler? handler)
    {
        var count = ++_handOvers[loop.Index];
        if (count >= ManyHandOvers && _handedOver.TryPass())
        {
            Log.HandedOver(loop.Index, _shared.StallThreshold.TotalMilliseconds, count);
        }
    }

    private int[] CountShards(int loops)
    {
        var counts = new int[loops];
        foreach (var loop in _sockets.Select(static socket => socket.LoopOfShard).Concat(_opening).SelectMany(static it => it))
        {
            counts[loop]++;
        }

        return counts;
    }

    private void Look()
    {
        foreach (var socket in Sockets)
        {
            try
            {
                socket.Look();
            }
            catch (Exception exception)
            {
                // Any failure: this thread runs all of the library's timers.
                Log.LookFailed(socket.LocalEndPoint, exception);
            }
        }
    }

    // Outside the lock: stopping waits for the loops' threads, which may be about to take it.
    private void ReleaseWhenIdle()
    {
        NumaEventLoopGroup? loops;
        NumaMemoryPools? pools = null;
        lock (_lock)
        {
            if (_sockets.Count + _opening.Count > 0)
            {
                return;
            }

            _look?.Dispose();
            _look = null;
            loops = _loops;
            _loops = null;
            if (_ownsPools)
            {
                pools = _pools;
                _pools = null;
            }
        }

        if (loops is not null)
        {
            _shared.End(User);
        }

        pools?.Dispose();
    }
}
