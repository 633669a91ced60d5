using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Udp.Shards;

namespace NumaSharp.Udp;

/// <summary>
/// Creates datagram sockets for the nodes of a plan. Its own event loops run while there are sockets. Linux. Thread-safe.
/// </summary>
public sealed class NumaUdpSocketFactory : IDisposable
{
    private const int ManyHandOvers = 20;

    private static readonly TimeSpan s_checkInterval = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly NumaUdpSocketFactoryOptions _options;
    private readonly NumaPlatform _platform;
    private readonly bool _ownsPools;
    private readonly SharedLoops _shared;
    private readonly List<NumaUdpSocket> _sockets = [];

    // The loops of sockets being opened: they stay, and count as used.
    private readonly List<int[]> _opening = [];
    private NumaPlan _plan;
    private NumaEventLoopGroup? _loops;
    private NumaMemoryPools? _pools;
    private ITimer? _checkTimer;
    private bool _disposed;

    // By loop: the counters of closed sockets.
    private readonly Dictionary<int, NumaUdpShardStatistics> _closed = [];

    private readonly long[] _handOvers;
    private LogGate _handedOver;

    /// <summary>Creates a factory, without starting a thread.</summary>
    /// <param name="plan">Places the loops.</param>
    /// <param name="options">The factory's options, read once; the defaults suit most services.</param>
    /// <param name="pools">The source of batches; by default the factory creates its own pools.</param>
    /// <param name="loggerFactory">For the events, numbers 600 to 699.</param>
    /// <param name="loops">
    /// Loops to share with others, of the same plan; their stall threshold counts, and the caller disposes them after the
    /// factory. By default the factory creates its own.
    /// </param>
    /// <exception cref="ArgumentException">The loops are those of another plan.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The options' threshold is outside its range.</exception>
    public NumaUdpSocketFactory(
        NumaPlan plan,
        NumaUdpSocketFactoryOptions? options = null,
        NumaMemoryPools? pools = null,
        ILoggerFactory? loggerFactory = null,
        NumaEventLoopGroup? loops = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        _plan = plan;
        _handOvers = new long[plan.LoopCount];
        _options = options?.Copy() ?? new NumaUdpSocketFactoryOptions();
        if (_options.StallThreshold != TimeSpan.Zero)
        {
            StallThreshold.Check(_options.StallThreshold, nameof(options));
        }

        _pools = pools;
        _ownsPools = pools is null;
        _platform = _options.Platform ?? NumaPlatform.Default;
        Fallbacks = _options.Fallbacks;
        Log = new NumaUdpLog(new OutboxLogger(
            (loggerFactory ?? NullLoggerFactory.Instance).CreateLogger("NumaSharp.Udp"), Outbox.Instance));
        User = CreateUser();
        _shared = loops is not null ? SharedLoops.Of(loops, plan)
            : _options.Loops ?? new SharedLoops(_options.CreateLoopOptions(_platform));
    }

    /// <summary>The open sockets.</summary>
    public IReadOnlyList<NumaUdpSocket> Sockets
    {
        get
        {
            lock (_lock)
            {
                return [.. _sockets];
            }
        }
    }

    internal NumaFallbacks? Fallbacks { get; }

    internal NumaUdpLog Log { get; }

    internal LoopUser User { get; }

    internal int CurrentNodeIndex =>
        _platform.Affinity.TryGetCurrent(out var cpu, out _).Succeeded ? Volatile.Read(ref _plan).IndexOfCpu(cpu) : -1;

    /// <summary>Binds a socket to be received from through its shards (<see cref="NumaUdpShard.ReceiveAsync"/>).</summary>
    /// <param name="endPoint">The address; port 0 lets the kernel choose one. Any IPv6 address includes any IPv4 address.</param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">The address is in use, or cannot be bound.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Bind(IPEndPoint endPoint, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        return Open(endPoint, remote: null, handlerFactory: null, options);
    }

    /// <summary>Binds a socket that calls a handler with its datagrams.</summary>
    /// <param name="endPoint">The address, as in the other overload.</param>
    /// <param name="handler">Called by all shards, concurrently.</param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket, which receives from now on; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">The address is in use, or cannot be bound.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Bind(IPEndPoint endPoint, IDatagramHandler handler, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Bind(endPoint, _ => handler, options);
    }

    /// <summary>Binds a socket with one handler per shard, which needs no lock for its own state.</summary>
    /// <param name="endPoint">The address, as in the other overloads.</param>
    /// <param name="handlerFactory">
    /// Creates a shard's handler. Called before anything is received, and on the shard's loop to replace a handler after a call
    /// has hung for five seconds.
    /// </param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket, which receives from now on; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">The address is in use, or cannot be bound.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Bind(
        IPEndPoint endPoint, Func<NumaUdpShard, IDatagramHandler> handlerFactory, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        ArgumentNullException.ThrowIfNull(handlerFactory);
        return Open(endPoint, remote: null, handlerFactory, options);
    }

    /// <summary>Opens a socket for one peer: it sends to that peer, and receives from no other. It has one shard.</summary>
    /// <param name="remoteEndPoint">The peer.</param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket, received from through its shard; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">There is no route to the peer.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Connect(IPEndPoint remoteEndPoint, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(remoteEndPoint);
        return Open(AnyOf(remoteEndPoint), remoteEndPoint, handlerFactory: null, options);
    }

    /// <summary>Opens a socket for one peer that calls a handler with its datagrams. It has one shard.</summary>
    /// <param name="remoteEndPoint">The peer.</param>
    /// <param name="handler">Called by the shard.</param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket, which receives from now on; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">There is no route to the peer.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Connect(IPEndPoint remoteEndPoint, IDatagramHandler handler, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Connect(remoteEndPoint, _ => handler, options);
    }

    /// <summary>Opens a socket for one peer that calls a handler made by a function. It has one shard.</summary>
    /// <param name="remoteEndPoint">The peer.</param>
    /// <param name="handlerFactory">Creates the shard's handler, as for <c>Bind</c>.</param>
    /// <param name="options">Options; the defaults suit most services.</param>
    /// <returns>The socket, which receives from now on; the caller disposes it.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="SocketException">There is no route to the peer.</exception>
    /// <exception cref="NumaException">No event loop could be created, or strict binding found no memory.</exception>
    /// <exception cref="PlatformNotSupportedException">This is not Linux.</exception>
    /// <exception cref="ObjectDisposedException">The factory was disposed.</exception>
    public NumaUdpSocket Connect(
        IPEndPoint remoteEndPoint, Func<NumaUdpShard, IDatagramHandler> handlerFactory, NumaUdpOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(remoteEndPoint);
        ArgumentNullException.ThrowIfNull(handlerFactory);
        return Open(AnyOf(remoteEndPoint), remoteEndPoint, handlerFactory, options);
    }

    /// <summary>
    /// Applies a plan that adapts the current one: the loops' threads re-pin themselves, datagrams are steered by it, and the
    /// factory's own pools take new memory from its nodes.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on the current plan, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was made from another plan: its positions or loops differ.</exception>
    public void Apply(NumaPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        lock (_lock)
        {
            _shared.Apply(User, plan);
            if (_ownsPools)
            {
                _pools?.Apply(plan);
            }

            Volatile.Write(ref _plan, plan);
            foreach (var socket in _sockets)
            {
                socket.Steer(plan);
            }
        }
    }

    /// <summary>
    /// Reads the counters of the factory's sockets, including closed ones, so that the numbers only grow.
    /// </summary>
    /// <returns>
    /// One entry for each loop that has had a shard, in the order of their numbers; it is serving if all its open shards are.
    /// </returns>
    public IReadOnlyList<NumaUdpShardStatistics> GetStatistics() =>
        [.. Enumerable.Range(0, _plan.LoopCount).Select(loop => GetStatistics(loop)).OfType<NumaUdpShardStatistics>()];

    /// <summary>Reads the counters of the sockets on one loop. Allocates nothing.</summary>
    /// <param name="loopIndex">The number of the loop, from 0.</param>
    /// <returns>The same as its entry in the full list; <see langword="null"/> for a loop that has had no shard.</returns>
    internal NumaUdpShardStatistics? GetStatistics(int loopIndex)
    {
        lock (_lock)
        {
            NumaUdpShardStatistics? sum = _closed.TryGetValue(loopIndex, out var closed) ? closed : null;
            foreach (var socket in _sockets)
            {
                foreach (var shard in socket.Shards)
                {
                    if (shard.LoopIndex == loopIndex)
                    {
                        var open = shard.GetStatistics();
                        sum = sum?.Plus(open) ?? open;
                    }
                }
            }

            return sum;
        }
    }

    /// <summary>
    /// Closes the sockets, stops the loops, unless others use them, and frees the pools that the factory created.
    /// </summary>
    public void Dispose()
    {
        NumaUdpSocket[] sockets;
        lock (_lock)
        {
            _disposed = true;
            sockets = [.. _sockets];
        }

        try
        {
            Task.WhenAll(sockets.Select(static socket => socket.DisposeAsync().AsTask())).GetAwaiter().GetResult();
        }
        finally
        {
            ReleaseWhenIdle();

            // The loggers may be disposed next. A blocking one must not keep the host from ending.
            _ = Outbox.Instance.Flush(_options.StopLimit.Of(Outbox.Patience));
        }
    }

    // The loops, from the first socket to the last.

    /// <summary>
    /// Changes <see cref="NumaUdpSocketFactoryOptions.StallThreshold"/> from the watchdog's next sample on. Thread-safe.
    /// </summary>
    /// <param name="threshold">100 microseconds to 10 seconds.</param>
    /// <exception cref="ArgumentOutOfRangeException">The threshold is outside its range; nothing was changed.</exception>
    /// <exception cref="InvalidOperationException">The factory was created without a watchdog (0).</exception>
    public void SetStallThreshold(TimeSpan threshold) => _shared.SetStallThreshold(threshold);

    internal TimeSpan EndLimit => _options.StopLimit.Of(_options.EndLimit);

    internal TimeProvider? Time => _options.Time;

    /// <summary>A handler call hangs if it is still the same one this many checks after the first.</summary>
    internal int ChecksUntilStuck => StuckLoopMonitor.ChecksFor(_shared.StallThreshold);

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

    private static IPEndPoint AnyOf(IPEndPoint remote) =>
        new(remote.AddressFamily == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0);

    private NumaUdpSocket Open(
        IPEndPoint local, IPEndPoint? remote, Func<NumaUdpShard, IDatagramHandler>? handlerFactory, NumaUdpOptions? options)
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
            socket = new NumaUdpSocket(this, local, remote, options, loops, shards, handlerFactory);
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
            _checkTimer = (_options.Time ?? BackgroundTime.Instance).CreateTimer(
                static factory => ((NumaUdpSocketFactory)factory!).Check(), this, s_checkInterval, s_checkInterval);
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
            Resumed = report.OnResumed,
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

    private void Check()
    {
        foreach (var socket in Sockets)
        {
            try
            {
                socket.Check();
            }
            catch (Exception exception)
            {
                // Any failure: this thread runs all of the library's timers.
                Log.CheckFailed(socket.LocalEndPoint, exception);
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

            _checkTimer?.Dispose();
            _checkTimer = null;
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
