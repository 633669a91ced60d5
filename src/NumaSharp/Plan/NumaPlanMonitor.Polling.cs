using NumaSharp.Core.Affinity;
using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <content>The thread that checks the machine, and what wakes it.</content>
public sealed partial class NumaPlanMonitor
{
    private static readonly TimeSpan s_minimumInterval = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly AutoResetEvent _wake = new(initialState: false);

    // Under no lock: the clock may be the application's.
    private readonly LastRequest _intervals = new();
    private Thread? _thread;
    private ITimer? _timer;
    private IDisposable? _watch;
    private volatile bool _isPaused;
    private volatile bool _isStopped;

    /// <summary>The rest of a stopping host's time.</summary>
    internal StopLimit StopLimit { get; init; } = new(TimeProvider.System);

    /// <summary>
    /// Checks from now on at every interval, and whenever the topology provider reports a possible change. On a thread of its
    /// own, which sleeps in between. A disabled plan pins nothing, but is followed all the same.
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
                Look(sentinel);
            }

            _wake.WaitOne();
        }
    }
}
