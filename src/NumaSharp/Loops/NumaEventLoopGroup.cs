using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.EventLoop;

/// <summary>The loops of a plan. Threads run from the first use until the group is disposed. Thread-safe.</summary>
[Experimental(NumaDiagnostics.EventLoops)]
public sealed class NumaEventLoopGroup : IDisposable
{
    private static readonly TimeSpan s_minimumBusyPoll = TimeSpan.FromMicroseconds(1);
    private static readonly TimeSpan s_maximumBusyPoll = TimeSpan.FromSeconds(1);

    private readonly Lock _lock = new();
    private readonly NumaEventLoopGroupOptions _options;
    private TimeSpan _stallThreshold;
    private NumaPlan _plan;
    private ImmutableArray<NumaEventLoop> _loops;
    private ImmutableArray<NodeThreads> _threads;
    private StallWatchdog? _watchdog;
    private StuckLoopMonitor? _monitor;
    private bool _disposed;

    /// <summary>Creates the group, without starting a thread.</summary>
    /// <param name="plan">How many loops each node has, and on which CPUs.</param>
    /// <param name="options">How they behave; later changes of it do not reach the group.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public NumaEventLoopGroup(NumaPlan plan, NumaEventLoopGroupOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        _options = options?.Copy() ?? new NumaEventLoopGroupOptions();
        Reports = new LoopReports(_options);
        _stallThreshold = _options.StallThreshold;
        if (_stallThreshold != TimeSpan.Zero)
        {
            EventLoop.StallThreshold.Check(_stallThreshold, nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(_options.MaxThreadsPerLoop, 1, nameof(options));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_options.MaxThreadsPerLoop, 4096, nameof(options));
        if (_options.BusyPoll != TimeSpan.Zero)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(_options.BusyPoll, s_minimumBusyPoll, nameof(options));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(_options.BusyPoll, s_maximumBusyPoll, nameof(options));
        }

        ArgumentOutOfRangeException.ThrowIfNegative(_options.BusyPollBudget, nameof(options));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(_options.BusyPollBudget, ushort.MaxValue, nameof(options));
        _plan = plan;
        Shared = new SharedLoops(this);
    }

    /// <summary>The plan that the loops carry out.</summary>
    public NumaPlan Plan => Volatile.Read(ref _plan);

    internal TimeSpan StallThreshold => _stallThreshold;

    /// <summary>For components that are given the group.</summary>
    internal SharedLoops Shared { get; }

    /// <summary>Passes on what happens to the loops.</summary>
    internal LoopReports Reports { get; }

    /// <summary>The loops' threads, node by node; none before the first use of <see cref="Loops"/>.</summary>
    internal ImmutableArray<NodeThreads> Threads => _threads.IsDefault ? [] : _threads;

    /// <summary>The loops, node by node. The first use starts their threads.</summary>
    /// <exception cref="NumaException">The system gives no epoll instance, eventfd or thread.</exception>
    /// <exception cref="ObjectDisposedException">The group was disposed.</exception>
    public IReadOnlyList<NumaEventLoop> Loops
    {
        get
        {
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                if (_loops.IsDefault)
                {
                    _loops = StartLoops();
                }

                return _loops;
            }
        }
    }

    /// <summary>
    /// Applies a plan that follows the current one: every thread re-pins itself, even to the same CPUs as before; one that runs a
    /// callback does so when that returns. Registrations and posts are kept.
    /// </summary>
    /// <param name="plan">The result of <see cref="NumaPlan.Adapt"/> on <see cref="Plan"/>, or that plan itself.</param>
    /// <exception cref="ArgumentException">It was adapted from another plan: its positions or loops differ.</exception>
    public void Apply(NumaPlan plan)
    {
        lock (_lock)
        {
            _plan.CheckSuccessor(plan);
            Volatile.Write(ref _plan, plan);
            if (_disposed || _loops.IsDefault)
            {
                return;
            }

            var placements = PlacementsOf(plan);
            foreach (var threads in _threads)
            {
                threads.Place(placements[threads.Placement.Node.NodeIndex]);
            }

            foreach (var loop in _loops)
            {
                loop.FollowPlacement();
            }

            foreach (var threads in _threads)
            {
                threads.NudgeAll();
            }
        }
    }

    /// <summary>Changes <see cref="NumaEventLoopGroupOptions.StallThreshold"/>, from the watchdog's next sample on.</summary>
    /// <param name="threshold">From 100 microseconds to 10 seconds.</param>
    /// <exception cref="ArgumentOutOfRangeException">The threshold is outside its range.</exception>
    /// <exception cref="InvalidOperationException">The group was created without a watchdog (0).</exception>
    public void SetStallThreshold(TimeSpan threshold)
    {
        EventLoop.StallThreshold.Check(threshold, nameof(threshold));
        lock (_lock)
        {
            EventLoop.StallThreshold.Change(ref _stallThreshold, threshold);
            _watchdog?.SetStallThreshold(threshold);
            _monitor?.SetStallThreshold(threshold);
        }
    }

    /// <summary>
    /// Stops the loops and waits up to 5 seconds for all of them together, or for the rest of a stopping host's time. A thread
    /// that hangs in a callback is left behind and ends when the callback returns. May be called on a loop's own thread.
    /// </summary>
    public void Dispose()
    {
        (ImmutableArray<NumaEventLoop> Loops, ImmutableArray<NodeThreads> Threads) started;
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            started = _loops.IsDefault ? ([], []) : (_loops, _threads);
        }

        var end = Deadline.In(_options.StopLimit.Of(_options.EndLimit));
        _monitor?.Dispose();
        _watchdog?.Stop(end);
        RequestStop(started.Loops, started.Threads);
        foreach (var threads in started.Threads)
        {
            threads.Join(end);
        }
    }

    /// <summary>The registered handlers of a component.</summary>
    internal IEnumerable<EventLoopHandler> HandlersOf(LoopUser user) =>
        (_loops.IsDefault ? [] : _loops).SelectMany(static loop => loop.Handlers)
            .Where(handler => ReferenceEquals(handler.User, user));

    // The loops first: a thread ends when its loop has let it go.
    private static void RequestStop(IEnumerable<NumaEventLoop> loops, IEnumerable<NodeThreads> nodes)
    {
        foreach (var loop in loops)
        {
            loop.RequestStop();
        }

        foreach (var threads in nodes)
        {
            threads.RequestStop();
        }
    }

    private ImmutableArray<NumaEventLoop> StartLoops()
    {
        Outbox.Instance.Start();
        var loops = new List<NumaEventLoop>();
        var isWatched = _stallThreshold > TimeSpan.Zero;
        ImmutableArray<NodeThreads> nodes =
            [.. PlacementsOf(Plan).Select(placement => new NodeThreads(placement, _options.Fallbacks, isWatched))];
        StuckLoopMonitor? monitor = null;
        StallWatchdog? watchdog = null;
        try
        {
            AddLoops(loops, nodes);
            watchdog = isWatched
                ? new StallWatchdog([.. loops], _stallThreshold, _options.Progress, _options.Fallbacks)
                : null;
            foreach (var loop in loops)
            {
                loop.Start(watchdog);
            }

            monitor = new StuckLoopMonitor(loops, nodes, _options, Reports);
            monitor.SetStallThreshold(_stallThreshold);
            watchdog?.Start();
            _monitor = monitor;
            _watchdog = watchdog;
            _threads = nodes;
        }
        catch
        {
            monitor?.Dispose();
            watchdog?.Dispose();
            RequestStop(loops, nodes);
            throw;
        }

        // Last: without spares the loops serve, without the threads before they do not.
        foreach (var threads in nodes)
        {
            threads.EnsureSpare();
        }

        return [.. loops];
    }

    private void AddLoops(List<NumaEventLoop> loops, ImmutableArray<NodeThreads> nodes)
    {
        foreach (var threads in nodes)
        {
            for (var i = 0; i < threads.Placement.Node.Loops; i++)
            {
                loops.Add(new NumaEventLoop(threads, i, loops.Count, _options, Reports));
            }
        }
    }

    private NodePlacement[] PlacementsOf(NumaPlan plan)
    {
        var affinity = _options.Affinity ?? NumaPlatform.Default.Affinity;
        return
        [
            .. plan.Nodes.Select(
                node => new NodePlacement(plan, node, affinity, fallback => _options.Fallbacks?.Report(fallback))),
        ];
    }
}
