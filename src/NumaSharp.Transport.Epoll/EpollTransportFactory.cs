using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Dispatching;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll;

/// <summary>
/// Kestrel's way to the epoll transport. Serves TCP end points on Linux and leaves every other to Kestrel's own transports.
/// Thread-safe.
/// </summary>
public sealed class EpollTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector, IDisposable
{
    private readonly Lock _lock = new();
    private readonly NumaTaskScheduler _scheduler;
    private readonly EpollTransportOptions _options;
    private readonly NumaFallbacks? _fallbacks;
    private readonly EpollTransportLog _log;
    private readonly HandOverReport _handOvers;
    private readonly bool _ownsLoops;
    private readonly bool _ownsPools;
    private readonly HashSet<EpollListener> _listeners = [];
    private NumaEventLoopGroup? _loops;
    private NumaMemoryPools? _pools;
    private ListenerShard[]? _shards;
    private bool _disposed;

    /// <summary>Makes a transport for the machine that a scheduler is planned for.</summary>
    /// <param name="scheduler">Its plan says how many loops run where; its workers run requests when dispatch is Node.</param>
    /// <param name="options">How the transport behaves; the defaults are right for most services.</param>
    /// <param name="loops">The loops; by default the transport makes its own while it listens.</param>
    /// <param name="pools">Where buffers come from; by default the transport makes its own.</param>
    /// <param name="fallbacks">Told when a thread cannot be pinned or memory not be bound.</param>
    /// <param name="loggerFactory">For the transport's events, numbers 500 to 599.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public EpollTransportFactory(
        NumaTaskScheduler scheduler,
        EpollTransportOptions? options = null,
        NumaEventLoopGroup? loops = null,
        NumaMemoryPools? pools = null,
        NumaFallbacks? fallbacks = null,
        ILoggerFactory? loggerFactory = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        _scheduler = scheduler;
        _options = options ?? new EpollTransportOptions();
        _options.Validate();
        _loops = loops;
        _pools = pools;
        _ownsLoops = loops is null;
        _ownsPools = pools is null;
        _fallbacks = fallbacks;
        var logger = (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger("NumaSharp.Transport.Epoll");
        _log = new EpollTransportLog(logger);
        _handOvers = new HandOverReport(_log, _options.StallThreshold);
    }

    /// <inheritdoc/>
    public bool CanBind(EndPoint endpoint) =>
        OperatingSystem.IsLinux()
        && endpoint is IPEndPoint { AddressFamily: AddressFamily.InterNetwork or AddressFamily.InterNetworkV6 };

    /// <inheritdoc/>
    /// <exception cref="AddressInUseException">The port is taken.</exception>
    /// <exception cref="NotSupportedException">The end point is not TCP, or this is not Linux.</exception>
    [SuppressMessage("Reliability", "MA0040", Justification = "Binding does not wait for anything.")]
    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!CanBind(endpoint))
        {
            throw new NotSupportedException($"The epoll transport serves TCP end points on Linux, not '{endpoint}'.");
        }

        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            _shards ??= CreateShards();
            var listener = new EpollListener((IPEndPoint)endpoint, _shards, OnListenerDisposed);
            _listeners.Add(listener);
            _log.Listening(listener.EndPoint, _shards.Length, _options.Dispatch);
            return ValueTask.FromResult<IConnectionListener>(listener);
        }
    }

    /// <summary>Reads the counters of every loop that listens, or has listened since the last unbind of all.</summary>
    /// <returns>One entry per loop; empty before the first bind.</returns>
    public IReadOnlyList<EpollLoopStatistics> GetStatistics()
    {
        var shards = Volatile.Read(ref _shards) ?? [];
        return
        [
            .. shards.Select(static shard => new EpollLoopStatistics(
                shard.Loop.NodeId,
                shard.Loop.Index,
                shard.Counters.Active,
                shard.Counters.Accepted,
                shard.Counters.AcceptErrors,
                shard.Counters.BytesReceived,
                shard.Counters.BytesSent,
                shard.Loop.HandOvers)),
        ];
    }

    /// <summary>Stops the loops and frees the pools that the transport made for itself.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (!_disposed)
            {
                _disposed = true;
                ReleaseOwned();
            }
        }
    }

    private ListenerShard[] CreateShards()
    {
        var plan = _scheduler.Plan;
        var loops = _loops ??= new NumaEventLoopGroup(plan, CreateLoopOptions());
        var pools = _pools ??= new NumaMemoryPools(plan, new NumaMemoryPoolsOptions { Fallbacks = _fallbacks });
        return
        [
            .. loops.Loops.Select(loop =>
                new ListenerShard(loop, pools[loop.NodeIndex], _options, CreateDispatcher(loop), new LoopCounters(), _log)),
        ];
    }

    /// <summary>The options of loops that suit this transport: the stall threshold when dispatch is adaptive, else none.</summary>
    /// <returns>New options.</returns>
    public NumaEventLoopGroupOptions CreateLoopOptions() => new()
    {
        StallThreshold = _options.Dispatch == EpollDispatchMode.Adaptive ? _options.StallThreshold : TimeSpan.Zero,
        Fallbacks = _fallbacks,
        UnhandledException = _log.LoopCallbackFailed,
        HandedOver = _handOvers.OnHandedOver,
    };

    private CallbackDispatcher CreateDispatcher(NumaEventLoop loop) => _options.Dispatch switch
    {
        EpollDispatchMode.Node => new NodeDispatcher(_scheduler, loop.NodeIndex),
        EpollDispatchMode.ThreadPool => new ThreadPoolDispatcher(),
        _ => new InlineDispatcher(),
    };

    private void OnListenerDisposed(EpollListener listener)
    {
        lock (_lock)
        {
            _listeners.Remove(listener);
            if (_listeners.Count == 0)
            {
                ReleaseOwned();
            }
        }
    }

    private void ReleaseOwned()
    {
        _shards = null;
        if (_ownsLoops)
        {
            _loops?.Dispose();
            _loops = null;
        }

        if (_ownsPools)
        {
            _pools?.Dispose();
            _pools = null;
        }
    }
}
