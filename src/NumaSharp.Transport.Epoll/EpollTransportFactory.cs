using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connecting;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Dispatching;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Listening;

namespace NumaSharp.Transport.Epoll;

/// <summary>
/// Connects Kestrel to the epoll transport. On Linux it serves TCP and Unix end points and inherited listening sockets, and
/// leaves all others to Kestrel's own transports. Thread-safe.
/// </summary>
public sealed class EpollTransportFactory :
    IConnectionListenerFactory,
    IConnectionListenerFactorySelector,
    IDisposable,
    IConnectionFactory
{
    private const string LogCategory = "NumaSharp.Transport.Epoll";

    private readonly Lock _lock = new();
    private readonly NumaTaskScheduler _scheduler;
    private readonly EpollTransportOptions _options;
    private readonly NumaPlatform _platform;
    private readonly NumaFallbacks? _fallbacks;
    private readonly EpollTransportLog _log;
    private readonly ConnectionLog _connectionLog;
    private readonly SharedLoops _shared;
    private readonly LoopUser _user;
    private readonly LoopCounters[] _counters;
    private readonly LoopLoad _load;
    private readonly bool _ownsPools;
    private readonly HashSet<EpollListener> _listeners = [];
    private NumaEventLoopGroup? _loops;
    private NumaMemoryPools? _pools;
    private LoopShard[]? _shards;
    private bool _keepsLoops;
    private bool _disposed;

    private readonly CancellationTokenSource _stopping = new();
    private readonly ClaimedFallbacks _clientFallbacks;
    private bool _hasConnected;

    /// <summary>Creates a transport for the machine that a scheduler is planned for. Its loops run while it listens.</summary>
    /// <param name="scheduler">
    /// Its plan places the loops; its workers run requests when dispatch is Node. The loops' threads are pinned by its
    /// <see cref="NumaTaskSchedulerOptions.Affinity"/>, and its <see cref="NumaTaskSchedulerOptions.Fallbacks"/> receive what
    /// the transport has to do without.
    /// </param>
    /// <param name="options">The transport's options, read once; the defaults suit most services.</param>
    /// <param name="pools">
    /// The source of buffers; by default the transport creates its own, bound by the system's memory provider.
    /// </param>
    /// <param name="loggerFactory">For the transport's events, numbers 500 to 599.</param>
    /// <param name="loops">
    /// Loops to share with others, of the scheduler's plan; the caller disposes them after the transport. Their stall threshold
    /// and busy polling count, not those of the options. By default the transport creates its own loops.
    /// </param>
    /// <exception cref="ArgumentException">
    /// The loops are those of another plan, or have no stall threshold and dispatch is Adaptive.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public EpollTransportFactory(
        NumaTaskScheduler scheduler,
        EpollTransportOptions? options = null,
        NumaMemoryPools? pools = null,
        ILoggerFactory? loggerFactory = null,
        NumaEventLoopGroup? loops = null)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        _scheduler = scheduler;
        _options = options?.Copy() ?? new EpollTransportOptions();
        _options.Validate();
        _pools = pools;
        _ownsPools = pools is null;
        _platform = _options.Platform ?? NumaPlatform.Default with { Affinity = scheduler.Affinity };
        _fallbacks = _options.Fallbacks ?? scheduler.GivenFallbacks;
        _clientFallbacks = new ClaimedFallbacks(_fallbacks, "clients");
        var loggers = loggerFactory ?? NullLoggerFactory.Instance;
        _log = new EpollTransportLog(new OutboxLogger(loggers.CreateLogger(LogCategory), Outbox.Instance));
        _connectionLog = new ConnectionLog(
            new OutboxLogger(loggers.CreateLogger($"{LogCategory}.Connections"), Outbox.Instance),
            _options.Time ?? TimeProvider.System);
        _counters = [.. LoopCounters.For(scheduler.Plan)];
        _load = new LoopLoad(_counters);
        _user = CreateUser();
        if (loops is { StallThreshold.Ticks: 0 } && _options.Dispatch == EpollDispatchMode.Adaptive)
        {
            throw new ArgumentException(
                $"{nameof(EpollDispatchMode.Adaptive)} needs loops with a {nameof(NumaEventLoopGroupOptions.StallThreshold)}; "
                + "these have none.",
                nameof(loops));
        }

        _shared = loops is not null ? SharedLoops.Of(loops, scheduler.Plan)
            : _options.Loops ?? new SharedLoops(_options.CreateLoopOptions(_platform, _fallbacks));
    }

    /// <summary>
    /// Whether the loops run for the transport: from the first end point or connection until the last one is gone.
    /// </summary>
    internal bool IsRunning => Volatile.Read(ref _loops) is not null;

    /// <inheritdoc/>
    public bool CanBind(EndPoint endpoint) =>
        OperatingSystem.IsLinux() && ListenerBinding.IsServed(endpoint);

    /// <inheritdoc/>
    /// <exception cref="AddressInUseException">The port or the path is taken.</exception>
    /// <exception cref="SocketException">
    /// The address cannot be bound, or the file descriptor is not a stream socket that can listen.
    /// </exception>
    /// <exception cref="NotSupportedException">Another kind of end point, or this is not Linux.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option of the end point is outside its range.</exception>
    [SuppressMessage("Reliability", "MA0040", Justification = "Binding does not wait for anything.")]
    public ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!CanBind(endpoint))
        {
            throw new NotSupportedException(
                $"The epoll transport serves TCP and Unix end points and file handles on Linux, not '{endpoint}'.");
        }

        try
        {
            return ValueTask.FromResult<IConnectionListener>(Listen(endpoint));
        }
        catch (Exception exception)
        {
            // A failed first bind leaves no threads behind.
            ReleaseWhenIdle();
            if (exception is SocketException { SocketErrorCode: SocketError.AddressAlreadyInUse })
            {
                throw new AddressInUseException(exception.Message, exception);
            }

            throw;
        }
    }

    /// <summary>Reads the counters of every loop of the plan. They only grow, also across an unbind and a new bind.</summary>
    /// <returns>One entry per loop.</returns>
    public IReadOnlyList<EpollLoopStatistics> GetStatistics() => [.. _counters.Select(static counters => counters.Read())];

    /// <summary>Reads the counters of one loop of the plan. Allocates nothing.</summary>
    /// <param name="loopIndex">The number of the loop, from 0.</param>
    /// <returns>The same as its entry in the full list.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The plan has no such loop.</exception>
    internal EpollLoopStatistics GetStatistics(int loopIndex)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(loopIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(loopIndex, _counters.Length);
        return _counters[loopIndex].Read();
    }

    /// <summary>
    /// Applies a plan that adapts the scheduler's: the loops' threads re-pin themselves, new connections are steered by it, and
    /// the transport's own pools take new memory from its nodes. Open connections are not touched. The scheduler, and pools that
    /// were passed to the transport, must be updated by their owner.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on the current plan, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was made from another plan: its positions or loops differ.</exception>
    public void Apply(NumaPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        List<(EpollListener Listener, SysResult Result)> steering;
        lock (_lock)
        {
            _shared.Apply(_user, plan);
            LoopCounters.Follow(_counters, plan);
            steering = [.. _listeners.Select(listener => (listener, listener.Steer(plan)))];
            if (_ownsPools)
            {
                _pools?.Apply(plan);
            }
        }

        foreach (var (listener, result) in steering)
        {
            ReportSteering(listener, result);
        }
    }

    private EpollListener Listen(EndPoint endPoint)
    {
        var options = _options.SocketsOf(endPoint);
        Array.ForEach(options, static each => each.Validate());
        var fallbacks = new ClaimedFallbacks(_fallbacks, subject: new object());
        try
        {
            return Listen(endPoint, options, fallbacks);
        }
        catch
        {
            fallbacks.EndAll();
            throw;
        }
    }

    private EpollListener Listen(EndPoint endPoint, EpollSocketOptions[] options, ClaimedFallbacks fallbacks)
    {
        var tuning = new SocketTuning(options, ListenerBinding.NameOf(endPoint), fallbacks);
        EpollListener listener;
        SysResult steering;
        lock (_lock)
        {
            EnsureShards();
            var binding = ListenerBinding.Create(endPoint, _shards!.Length, tuning, _options.SharePort);
            listener = new EpollListener(binding, _shards, _load, tuning, fallbacks, OnListenerDisposed);
            _listeners.Add(listener);
            Volatile.Write(ref _keepsLoops, true);
            _log.Listening(listener.EndPoint, _shards.Length, _options.Dispatch);
            steering = listener.Steer(_scheduler.Plan);
        }

        ReportSteering(listener, steering);
        return listener;
    }

    private static void ReportSteering(EpollListener listener, SysResult result)
    {
        if (result.Succeeded)
        {
            listener.Fallbacks.End(FallbackCatalog.TransportSteering);
        }
        else
        {
            listener.Fallbacks.Report(
                FallbackCatalog.TransportSteering,
                $"The kernel does not steer the connections of {listener.EndPoint} by CPU (SO_ATTACH_REUSEPORT_CBPF: "
                + $"{result.ErrorName}): the loop that accepts one passes it to the loop of its CPU.");
        }
    }

    /// <summary>
    /// Changes <see cref="EpollTransportOptions.StallThreshold"/> from the watchdog's next sample on. No effect unless dispatch
    /// is <see cref="EpollDispatchMode.Adaptive"/>. Thread-safe.
    /// </summary>
    /// <param name="threshold">From 100 microseconds to 10 seconds.</param>
    /// <exception cref="ArgumentOutOfRangeException">The threshold is outside its range.</exception>
    public void SetStallThreshold(TimeSpan threshold)
    {
        StallThreshold.Check(threshold, nameof(threshold));
        if (_options.Dispatch == EpollDispatchMode.Adaptive)
        {
            _shared.SetStallThreshold(threshold);
        }
    }

    // Called with the lock held.
    private void EnsureShards()
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        _shards ??= CreateShards();
    }

    private LoopShard[] CreateShards()
    {
        var plan = _scheduler.Plan;
        var loops = _loops ??= _shared.Use(_user, plan);
        var pools = _pools ??= new NumaMemoryPools(plan, CreatePoolOptions());
        var crossNode = CrossNodeSampling.Of(plan.Topology);
        _connectionLog.FollowLevel();
        return
        [
            .. loops.Loops.Select(loop => new LoopShard(
                loop,
                _user,
                pools[loop.NodeIndex],
                _options,
                CreateDispatcher(loop, _options.Dispatch),
                _options.Dispatch == EpollDispatchMode.Adaptive ? CreateDispatcher(loop, EpollDispatchMode.Node) : null,
                _options.Dispatch == EpollDispatchMode.ThreadPool ? null : CreateDispatcher(loop, EpollDispatchMode.ThreadPool),
                CountersOf(loop),
                crossNode,
                _log,
                _connectionLog,
                _options.Time ?? TimeProvider.System,
                new LargeBlockSweep(loop, _user, _options.Time ?? BackgroundTime.Instance),
                OnConnectionClosed)),
        ];
    }

    private LoopCounters CountersOf(NumaEventLoop loop)
    {
        var counters = _counters[loop.Index];
        counters.Follow(loop);
        return counters;
    }

    private LoopUser CreateUser()
    {
        var handOvers = new HandOverReport(_log, () => _shared!.StallThreshold, _counters, _options.ManyHandOvers, _options.Time);
        var stuckLoops = new StuckLoopReport(
            _counters.Length,
            (loop, seconds, callback, reason) => _log.LoopStuck(loop.Index, loop.NodeId.Value, seconds, callback, reason),
            (loop, seconds) => _log.LoopResumed(loop.Index, loop.NodeId.Value, seconds));
        return new LoopUser
        {
            AllowsHandOver = _options.Dispatch == EpollDispatchMode.Adaptive,
            UnhandledException = _log.LoopCallbackFailed,
            HandedOver = handOvers.OnHandedOver,
            Failed = (loop, exception) => _log.LoopFailed(loop.Index, exception.Message),
            Stuck = stuckLoops.OnStuck,
            Resumed = stuckLoops.OnResumed,
        };
    }

    private NumaMemoryPoolsOptions CreatePoolOptions() => new()
    {
        Memory = _platform.Memory,
        Affinity = _platform.Affinity,
        Fallbacks = _fallbacks,
    };

    private CallbackDispatcher CreateDispatcher(NumaEventLoop loop, EpollDispatchMode mode) => mode switch
    {
        EpollDispatchMode.Node => new NodeDispatcher(_scheduler, loop.NodeIndex),
        EpollDispatchMode.ThreadPool => new ThreadPoolDispatcher(),
        _ => new InlineDispatcher(),
    };

    // How long the loops run for the transport, and what ends with it.

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

    // The client side: outgoing connections, on the same loops.

    /// <summary>
    /// Connects to a TCP or Unix end point. The connection lives on the least loaded loop of the caller's node. The first call
    /// starts the loops, which then run until the factory is disposed.
    /// </summary>
    /// <param name="endpoint">The destination. Names are not resolved: a <see cref="DnsEndPoint"/> is not supported.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    /// <returns>The connection; the caller disposes it.</returns>
    /// <exception cref="SocketException">The connection failed; the codes are those of <see cref="Socket"/>.</exception>
    /// <exception cref="NumaException">The loop cannot watch it (epoll_ctl(2)).</exception>
    /// <exception cref="NotSupportedException">Another kind of end point, or this is not Linux.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public ValueTask<ConnectionContext> ConnectAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        if (!CanBind(endpoint) || endpoint is FileHandleEndPoint)
        {
            throw new NotSupportedException(
                $"The epoll transport connects to TCP and Unix end points on Linux, not '{endpoint}'.");
        }

        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<ConnectionContext>(cancellationToken)
            : ConnectCoreAsync(endpoint, cancellationToken);
    }

    private async ValueTask<ConnectionContext> ConnectCoreAsync(EndPoint endPoint, CancellationToken cancellationToken)
    {
        var tuning = new SocketTuning([_options], $"{endPoint}", _clientFallbacks);
        return await ConnectOperation.RunAsync(ShardOfCaller(), endPoint, tuning, _stopping.Token, cancellationToken)
            .ConfigureAwait(false);
    }

    private LoopShard ShardOfCaller()
    {
        lock (_lock)
        {
            EnsureShards();
            _hasConnected = true;
            Volatile.Write(ref _keepsLoops, true);
            return _shards![_load.LeastOn(_scheduler.Plan.GetNearestNode(_pools!.Current.NodeId).NodeId)];
        }
    }

    // Restarting loops while they serve.

    /// <summary>
    /// Rebuilds every loop, one after the other: epoll instance and threads. Connections and listening sockets move with their
    /// pending events and stay open: nothing is lost. New connections of the loop being rebuilt wait in its listening socket's
    /// queue; the other loops keep serving theirs.
    /// </summary>
    /// <param name="cancellationToken">
    /// Stops waiting for a loop with a hanging callback, and skips the loops after it.
    /// </param>
    /// <exception cref="NumaException">No descriptors, memory or thread for a loop: it continues unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The transport was disposed.</exception>
    public async Task RestartAsync(CancellationToken cancellationToken = default)
    {
        for (var loop = 0; loop < _counters.Length; loop++)
        {
            await RestartAsync(loop, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Rebuilds one loop, as <see cref="RestartAsync(CancellationToken)"/>; does nothing when no loop runs.</summary>
    /// <param name="loopIndex">The number of the loop.</param>
    /// <param name="cancellationToken">Ends the wait, not the restart.</param>
    /// <exception cref="ArgumentOutOfRangeException">There is no such loop.</exception>
    /// <exception cref="NumaException">No descriptors, memory or thread: the loop continues unchanged.</exception>
    /// <exception cref="ObjectDisposedException">The transport was disposed.</exception>
    public Task RestartAsync(int loopIndex, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(loopIndex);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(loopIndex, _counters.Length);
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _shards?[loopIndex].Loop.RestartAsync(cancellationToken) ?? Task.CompletedTask;
        }
    }
}
