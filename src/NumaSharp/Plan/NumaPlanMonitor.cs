using NumaSharp.Core.Planning;
using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>
/// Watches a machine that changes while the process runs (CPUs and memory come and go, cpusets and masks are rewritten) and
/// keeps the plan that fits it now. Thread-safe.
/// </summary>
public sealed class NumaPlanMonitor : IDisposable
{
    private static readonly TimeSpan s_minimumInterval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    // Held while the machine is read and a plan is applied: by a check alone, which may wait for foreign code.
    private readonly Lock _checking = new();

    // Guards the fields. Foreign code (providers, followers, handlers, the clock) is called without it.
    private readonly Lock _lock = new();
    private readonly NumaPlatform _platform;
    private readonly NumaFallbacks _fallbacks;
    private readonly TimeProvider _time;
    private readonly List<Follower> _followers = [];
    private NumaPlan _plan;
    private long _round;
    private NumaTopology _topology;
    private IReadOnlyList<NumaFallback> _misfits = [];
    private string? _signature;
    private long _changes;

    private readonly AutoResetEvent _wake = new(initialState: false);

    // Under no lock: the clock may be the application's.
    private readonly LastRequest _intervals = new();
    private Thread? _thread;
    private ITimer? _timer;
    private IDisposable? _watch;
    private volatile bool _isPaused;
    private volatile bool _isStopped;

    /// <summary>Creates a monitor; nothing is read before <see cref="Check"/> or <see cref="Start"/>.</summary>
    /// <param name="plan">The plan that is in use.</param>
    /// <param name="platform">Reads the machine.</param>
    /// <param name="fallbacks">Receives what can no longer be met.</param>
    /// <param name="time">The clock of the interval; <see langword="null"/> for the system's.</param>
    public NumaPlanMonitor(NumaPlan plan, NumaPlatform platform, NumaFallbacks fallbacks, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        ArgumentNullException.ThrowIfNull(platform);
        ArgumentNullException.ThrowIfNull(fallbacks);
        _plan = plan;
        _topology = plan.Topology;
        _platform = platform;
        _fallbacks = fallbacks;
        _time = time ?? BackgroundTime.Instance;
    }

    /// <summary>
    /// Raised soon after a change was applied, as <see cref="NumaFallbacks.Reported"/> is: on a thread of the library that does
    /// nothing else, one handler at a time, in the order of the changes. A handler may block, which delays other handlers and log
    /// messages. A handler's exception is reported as the fallback <c>topology.apply</c>, and the others are still called.
    /// </summary>
    public event EventHandler<NumaPlanChange>? Changed;

    /// <summary>The plan that fits the machine as it was last seen.</summary>
    public NumaPlan Plan => Volatile.Read(ref _plan);

    /// <summary>The machine as it was last read.</summary>
    public NumaTopology Topology => Volatile.Read(ref _topology);

    /// <summary>How often the plan has changed.</summary>
    public long ChangeCount => Volatile.Read(ref _changes);

    /// <summary>The rest of a stopping host's time.</summary>
    internal StopLimit StopLimit { get; init; } = new(TimeProvider.System);

    /// <summary>
    /// Adds a follower, which applies every new plan, and the current one again when the masks of threads were rewritten from
    /// outside. If the plan has changed already, <paramref name="apply"/> is called before this returns. Waits for no check and
    /// no other follower.
    /// </summary>
    /// <param name="apply">
    /// Applies a plan, also the same one again. Called on the thread of the check, in the order in which followers were added and
    /// before <see cref="Changed"/>; the first time perhaps on the thread that calls this method. Never on two threads at a time,
    /// and never with an older plan after a newer one. It should not block: that delays the other followers. Its exception is
    /// reported as the fallback <c>topology.apply</c>.
    /// </param>
    /// <returns>
    /// Removes the follower. <see cref="IDisposable.Dispose"/> waits for no call: one that another thread makes may end later.
    /// </returns>
    public IDisposable Follow(Action<NumaPlan> apply)
    {
        ArgumentNullException.ThrowIfNull(apply);
        var follower = new Follower(this, apply);
        lock (_lock)
        {
            // The follower was created with the plan of the start.
            follower.Round = _changes == 0 ? _round : 0;
            _followers.Add(follower);
        }

        CatchUp(follower);
        return follower;
    }

    /// <summary>
    /// Checks the machine once, and applies a change. Cheap while nothing has changed. Waits for a check in progress, and so for
    /// followers: do not call it with a lock that one of them takes.
    /// </summary>
    /// <returns>Whether the plan has changed.</returns>
    public bool Check() => CheckWith(null);

    /// <summary>
    /// Checks from now on at every interval, and whenever the topology provider reports a possible change. On a thread of its
    /// own, which sleeps in between. A disabled plan is followed, too, although it pins nothing.
    /// </summary>
    /// <param name="interval">From 10 milliseconds to 1 day.</param>
    /// <exception cref="ArgumentOutOfRangeException">The interval is outside its range.</exception>
    /// <exception cref="InvalidOperationException">It was started before.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    /// <exception cref="OutOfMemoryException">The system has no thread for it; it may be started again.</exception>
    public void Start(TimeSpan interval)
    {
        CheckInterval(interval);
        var timer = _time.CreateTimer(static monitor => ((NumaPlanMonitor)monitor!).Wake(), this, interval, interval);
        try
        {
            StartThread(timer);
        }
        catch
        {
            timer.Dispose();
            throw;
        }

        var watch = TryWatch();
        lock (_lock)
        {
            if (!_isStopped)
            {
                _watch = watch;
                return;
            }
        }

        Unwatch(watch);
    }

    /// <summary>Changes the interval of a monitor that was started.</summary>
    /// <param name="interval">From 10 milliseconds to 1 day; 0 pauses the checks until another interval is set.</param>
    /// <exception cref="ArgumentOutOfRangeException">The interval is outside its range.</exception>
    /// <exception cref="InvalidOperationException">It was not started.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed.</exception>
    public void SetInterval(TimeSpan interval)
    {
        if (interval != TimeSpan.Zero)
        {
            CheckInterval(interval);
        }

        ITimer timer;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isStopped, this);
            timer = _timer ?? throw new InvalidOperationException("The monitor has not been started.");
        }

        _intervals.Run(() =>
        {
            _isPaused = interval == TimeSpan.Zero;
            var period = _isPaused ? Timeout.InfiniteTimeSpan : interval;
            timer.Change(period, period);
        });
    }

    /// <summary>
    /// Stops the checks, and waits for one in progress: up to 5 seconds, or for the rest of a stopping host's time. If a follower
    /// does not return, the check is left behind, and continues when it does. The plan stays as it is.
    /// </summary>
    public void Dispose()
    {
        var end = Deadline.In(StopLimit.Of(s_patience));
        Thread? thread;
        IDisposable? watch;
        ITimer? timer;
        lock (_lock)
        {
            if (_isStopped)
            {
                return;
            }

            _isStopped = true;
            thread = _thread;
            watch = _watch;
            timer = _timer;
        }

        timer?.Dispose();
        Unwatch(watch);
        Wake();
        if (thread is not null && thread != Thread.CurrentThread)
        {
            thread.Join(end.Left);
        }
    }

    private bool CheckWith(MaskSentinel? sentinel)
    {
        lock (_checking)
        {
            var change = TryReadChange();
            if (change is null && sentinel?.HasReason() != true)
            {
                return false;
            }

            ApplyPlan(change);
            if (change is not null)
            {
                sentinel?.Unsettle();
                RaiseChanged(change);
            }

            sentinel?.Arm(Plan);
            return change is not null;
        }
    }

    private NumaPlanChange? TryReadChange()
    {
        try
        {
            // First the signature, then the rest: a change in between is found the next time.
            var signature = _platform.Topology.ReadSignature();
            if (!string.IsNullOrEmpty(signature) && signature == _signature)
            {
                return null;
            }

            var change = FindChange(_platform.Topology.Read());
            _signature = signature;
            _fallbacks.Withdraw(FallbackCatalog.TopologyReread.Id);
            return change;
        }
        catch (Exception exception)
        {
            // Whatever a provider throws, threads stay where they are; on this thread it would end the process.
            _fallbacks.Report(new NumaFallback(
                FallbackCatalog.TopologyReread,
                $"The machine cannot be read; threads and memory stay as planned before. {exception.Message}"));
            return null;
        }
    }

    private NumaPlanChange? FindChange(NumaTopology topology)
    {
        var change = TopologyShape.IsSame(_topology, topology) ? null : _plan.Adapt(topology);
        Volatile.Write(ref _topology, topology);
        if (change is null)
        {
            return null;
        }

        ReportMisfits(change.Fallbacks);
        return change.IsEmpty ? null : change;
    }

    private void ReportMisfits(IReadOnlyList<NumaFallback> misfits)
    {
        if (misfits.SequenceEqual(_misfits))
        {
            return;
        }

        foreach (var misfit in _misfits.Except(misfits))
        {
            _fallbacks.Withdraw(misfit.Feature);
        }

        foreach (var misfit in misfits.Except(_misfits))
        {
            _fallbacks.Report(misfit);
        }

        _misfits = misfits;
    }

    // Without a change: the same plan again.
    private void ApplyPlan(NumaPlanChange? change)
    {
        // What was refused before may be granted now; what is refused again is reported again, by followers from here on.
        _fallbacks.Withdraw(FallbackCatalog.AffinityPin.Id);
        _fallbacks.Withdraw(FallbackCatalog.TopologyApply.Id);
        Follower[] followers;
        lock (_lock)
        {
            if (change is not null)
            {
                Volatile.Write(ref _plan, change.Plan);
                Volatile.Write(ref _changes, _changes + 1);
            }

            _round++;
            followers = [.. _followers];
        }

        Array.ForEach(followers, CatchUp);
    }

    /// <summary>
    /// Makes a follower apply the current plan, unless it has. If another thread is calling it, that one sees that there is more.
    /// </summary>
    private void CatchUp(Follower follower)
    {
        lock (_lock)
        {
            if (follower.IsCalled)
            {
                return;
            }

            follower.IsCalled = true;
        }

        while (NextFor(follower) is { } plan)
        {
            Call(() => follower.Apply(plan));
        }
    }

    private NumaPlan? NextFor(Follower follower)
    {
        lock (_lock)
        {
            follower.IsCalled = !follower.IsGone && follower.Round != _round;
            follower.Round = _round;
            return follower.IsCalled ? _plan : null;
        }
    }

    private void Remove(Follower follower)
    {
        lock (_lock)
        {
            // A check may have it in its list already.
            follower.IsGone = true;
            _followers.Remove(follower);
        }
    }

    private void RaiseChanged(NumaPlanChange change)
    {
        foreach (var handler in Delegate.EnumerateInvocationList(Changed))
        {
            Outbox.Instance.Post(() => Call(() => handler(this, change)));
        }
    }

    private void Call(Action call)
    {
        try
        {
            call();
        }
        catch (Exception exception)
        {
            _fallbacks.Report(new NumaFallback(
                FallbackCatalog.TopologyApply, $"The new plan could not be applied in full. {exception.Message}"));
        }
    }

    // The thread that checks the machine, and what wakes it.

    private void StartThread(ITimer timer)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isStopped, this);
            if (_thread is not null)
            {
                throw new InvalidOperationException("The monitor has been started before.");
            }

            var thread = new Thread(Run) { IsBackground = true, Name = "numa-plan" };
            SystemThread.Start(thread);
            _thread = thread;
            _timer = timer;
        }
    }

    private static void CheckInterval(TimeSpan interval)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(interval, s_minimumInterval);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(interval, TimeSpan.FromDays(1));
    }

    // Not disposed: a timer or a provider may still call, and an event without waiters is collected like any object.
    private void Wake() => _wake.Set();

    private IDisposable? TryWatch()
    {
        try
        {
            return _platform.Topology.Watch(Wake);
        }
        catch (Exception exception)
        {
            _fallbacks.Report(new NumaFallback(
                FallbackCatalog.TopologyWatch,
                $"The topology provider cannot report changes; they are found by polling. {exception.Message}"));
            return null;
        }
    }

    private void Unwatch(IDisposable? watch)
    {
        try
        {
            watch?.Dispose();
        }
        catch (Exception exception)
        {
            _fallbacks.Report(new NumaFallback(
                FallbackCatalog.TopologyWatch,
                $"Failed to unsubscribe from the topology provider's changes; it may keep reporting them. {exception.Message}"));
        }
    }

    private void Run()
    {
        var sentinel = new MaskSentinel(_platform.Affinity, _time);
        sentinel.Arm(Plan);
        _wake.WaitOne();
        while (!_isStopped)
        {
            if (!_isPaused)
            {
                CheckWith(sentinel);
            }

            _wake.WaitOne();
        }
    }

    /// <summary>A follower, and how far it has come. Its state is guarded by the monitor's lock.</summary>
    private sealed class Follower(NumaPlanMonitor monitor, Action<NumaPlan> apply) : IDisposable
    {
        public Action<NumaPlan> Apply => apply;

        /// <summary>The round of the last plan that it was given.</summary>
        public long Round { get; set; }

        /// <summary>Whether a thread calls it, and will check for the next round.</summary>
        public bool IsCalled { get; set; }

        /// <summary>Whether it was removed, and must not be called again.</summary>
        public bool IsGone { get; set; }

        public void Dispose() => monitor.Remove(this);
    }
}

/// <summary>
/// The parts of a topology that trigger a new plan: nodes, isolated CPUs, cores and caches, but no memory sizes.
/// </summary>
internal static class TopologyShape
{
    public static bool IsSame(NumaTopology left, NumaTopology right) =>
        left.NodeCount == right.NodeCount
        && left.Nodes.Zip(right.Nodes).All(static pair => IsSame(pair.First, pair.Second))
        && left.IsolatedCpus.Equals(right.IsolatedCpus)
        && left.Cores.Select(static core => core.Cpus).SequenceEqual(right.Cores.Select(static core => core.Cpus))
        && left.LastLevelCaches.Select(static cache => cache.Cpus)
            .SequenceEqual(right.LastLevelCaches.Select(static cache => cache.Cpus));

    private static bool IsSame(NumaNode left, NumaNode right) =>
        left with { MemoryBytes = 0, MemoryFreeBytes = 0, HugePages = [] }
        == right with { MemoryBytes = 0, MemoryFreeBytes = 0, HugePages = [] };
}
