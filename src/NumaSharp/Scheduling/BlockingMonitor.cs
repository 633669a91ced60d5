using NumaSharp.Core;
using NumaSharp.Interop;

namespace NumaSharp.Scheduling;

/// <summary>
/// The thread that detects stuck workers on nodes where work waits, lets others take what waits behind them, and gives those
/// nodes spare workers. Asleep unless work has waited lately.
/// </summary>
internal sealed class BlockingMonitor
{
    // Three checks take 10 to 15 ms: well within 20 ms from cold, and longer than most preemptions of a worker.
    public const int CheckMilliseconds = 5;

    private const int StaleLooks = 3;
    private const int HeldUpLooks = 2;
    private const int CalmLooksBeforeSleep = 20;

    // A group that makes progress takes one of 140 items from a stuck one of its node: about ten in that time, if they are short.
    private const int MostLooksForHelp = 20;

    // Spares that are no longer needed although there is work retire one at a time, 200 ms apart: blocking comes in bursts.
    private const int ExcessLooksBeforeRetirement = 40;

    private readonly NumaTaskScheduler _scheduler;
    private readonly bool _compensates;
    private readonly int _pauseMilliseconds;
    private readonly MonitoredGroup[][] _nodes;
    private readonly Parker _parker = Parker.Create();
    private readonly Thread _thread;
    private int _isAsleep;
    private volatile bool _isStopped;

    public BlockingMonitor(NumaTaskScheduler scheduler, IEnumerable<WorkerGroup> groups, NumaTaskSchedulerOptions options)
    {
        _scheduler = scheduler;
        _compensates = options.CompensateBlocking;
        _pauseMilliseconds = options.MonitorPauseMilliseconds;
        _nodes =
        [
            .. groups.GroupBy(static group => group.Home)
                .Select(static node => node.Select(static group => new MonitoredGroup(group)).ToArray()),
        ];
        _thread = new Thread(Run) { IsBackground = true, Name = $"{scheduler.ThreadNamePrefix}-monitor" };
    }

    public bool IsAsleep => Volatile.Read(ref _isAsleep) != 0;

    public bool IsCurrentThread => Thread.CurrentThread == _thread;

    /// <exception cref="OutOfMemoryException">As of <see cref="SystemThread.Start"/>.</exception>
    public void Start() => SystemThread.Start(_thread);

    /// <summary>Called when work waits and no worker is idle; costs a read while the monitor is awake.</summary>
    public void Wake()
    {
        if (IsAsleep)
        {
            EndSleep();
        }
    }

    /// <summary>Asks the thread to end.</summary>
    public void RequestStop()
    {
        _isStopped = true;
        _parker.Signal();
    }

    /// <summary>Waits for the thread. One that hangs in an affinity provider is left behind.</summary>
    public bool Join(TimeSpan limit) => _thread.Join(limit);

    private void EndSleep()
    {
        if (Interlocked.Exchange(ref _isAsleep, 0) != 0)
        {
            _parker.Signal();
        }
    }

    private void Run()
    {
        var placements = -1;
        var calmLooks = CalmLooksBeforeSleep;
        while (!_isStopped)
        {
            if (placements != _scheduler.Placements)
            {
                // It must run even when all CPUs of the thread that started it are busy.
                placements = _scheduler.Placements;
                _scheduler.PinToPlan();
            }

            if (calmLooks < CalmLooksBeforeSleep)
            {
                _parker.Wait(_pauseMilliseconds);
            }
            else
            {
                Sleep(placements);
                calmLooks = 0;
            }

            var isSaturated = false;
            foreach (var node in _nodes)
            {
                isSaturated |= Look(node);
            }

            calmLooks = isSaturated ? 0 : calmLooks + 1;
        }
    }

    private void Sleep(int placements)
    {
        // Announced, fenced, then checked once more, as workers do.
        Interlocked.Exchange(ref _isAsleep, 1);
        var staysAwake = _isStopped || placements != _scheduler.Placements
            || Array.Exists(_nodes, static node => Array.Exists(node, static each => each.Group.MayBecomeOverdue));
        if (staysAwake && Interlocked.Exchange(ref _isAsleep, 0) != 0)
        {
            return;
        }

        // Also when another thread has ended a sleep that did not begin: its signal would cut the next pause short.
        _parker.Wait();
        Volatile.Write(ref _isAsleep, 0);
    }

    private bool Look(MonitoredGroup[] node)
    {
        var isSaturated = false;
        foreach (var each in node)
        {
            isSaturated |= each.Looks(each.Group.MayBecomeOverdue);
        }

        foreach (var each in node)
        {
            if (isSaturated)
            {
                // Those without waiting work, too: whether they may help is asked below.
                (each.MakesProgress, each.Blocked) = Examine(each.Group);
            }
            else
            {
                each.ForgetWorkers();
            }
        }

        foreach (var each in node)
        {
            // Work that still waits at the second check has waited longer than it takes to run it anywhere.
            SetOverdue(each.Group, each.SaturatedLooks > 1);
            each.Group.IsStuck = each.SaturatedLooks > 0 && !each.MakesProgress;
            if (_compensates && each.SaturatedLooks > 0)
            {
                Compensate(each, mayBeHelped: Array.Exists(node, static other => other.MakesProgress));
            }
        }

        return isSaturated;
    }

    private static void SetOverdue(WorkerGroup group, bool isOverdue)
    {
        if (group.Neighbours.Length != 0)
        {
            group.SetOverdue(isOverdue);
        }
    }

    private static void Compensate(MonitoredGroup monitored, bool mayBeHelped)
    {
        var group = monitored.Group;
        var spares = group.SpareCount;
        var wanted = monitored.Blocked - spares;
        monitored.ExcessLooks = monitored.MakesProgress && wanted < 0 ? monitored.ExcessLooks + 1 : 0;
        if (monitored.ExcessLooks >= ExcessLooksBeforeRetirement)
        {
            monitored.ExcessLooks = 0;
            group.GrantRetirement();
        }

        if (monitored.MakesProgress)
        {
            (monitored.BusyDelay, monitored.StuckLooks) = (0, 0);
        }
        else
        {
            // When all are blocked, the next ones probably will be, too: twice as many each time.
            // Busy ones are helped first by groups of the node that make progress, which may take too long.
            monitored.StuckLooks++;
            wanted = wanted > 0 ? Math.Max(wanted, spares)
                : (!mayBeHelped || monitored.StuckLooks > MostLooksForHelp) && monitored.IsBusyDelayOver() ? 1
                : 0;
        }

        AddSpares(monitored, Math.Min(wanted, group.QueueLength));
    }

    private static (bool MakesProgress, int Blocked) Examine(WorkerGroup group)
    {
        var makesProgress = false;
        var hasHeldUp = false;
        var blocked = 0;
        foreach (var worker in group.Workers)
        {
            if (worker is null)
            {
                continue;
            }

            var executed = worker.Executed;
            if (!worker.IsStarted || executed != worker.SeenExecuted)
            {
                worker.SeenExecuted = executed;
                worker.StaleLooks = 0;
            }

            worker.StaleLooks++;
            worker.IsHeldUp = worker.StaleLooks >= HeldUpLooks;
            hasHeldUp |= worker.IsHeldUp && !worker.Batch.IsEmpty;
            if (worker.StaleLooks < StaleLooks)
            {
                makesProgress = true;
            }
            else if (worker.IsWaiting)
            {
                blocked++;
            }
        }

        group.HasHeldUp = hasHeldUp;
        return (makesProgress, blocked);
    }

    private static void AddSpares(MonitoredGroup monitored, long count)
    {
        try
        {
            for (; count > 0 && monitored.Group.TryAddSpare(); count--)
            {
                monitored.NoSpare.End();
            }
        }
        catch (OutOfMemoryException e)
        {
            // The system has no more threads for this process. The next check tries again.
            monitored.NoSpare.Report(
                $"No spare worker could be started for node {monitored.Group.Node.NodeId} ({e.Message}): its work waits.");
        }
    }
}

/// <summary>The state that the <see cref="BlockingMonitor"/> keeps of a group between two checks.</summary>
internal sealed class MonitoredGroup(WorkerGroup group)
{
    // Busy workers, not only blocked ones, get help, so that a long item does not starve others. But at growing intervals:
    // threads do not add CPUs.
    private const int FirstBusyDelayLooks = 4;
    private const int LastBusyDelayLooks = 128;

    private int _busyLooks;

    public WorkerGroup Group => group;

    /// <summary>Reported while the system has no more threads, and work waits.</summary>
    public ClaimedFallback NoSpare { get; } =
        group.Scheduler.FallbackOf(FallbackCatalog.SchedulerSpare, group.Node.NodeId, subject: group.Home);

    /// <summary>The number of checks in a row at which work waited.</summary>
    public int SaturatedLooks { get; private set; }

    /// <summary>Whether a worker ended an item within the last checks.</summary>
    public bool MakesProgress { get; set; }

    /// <summary>The number of workers that wait, not run.</summary>
    public int Blocked { get; set; }

    /// <summary>The number of checks in a row at which work waited and none ended an item.</summary>
    public int StuckLooks { get; set; }

    public int ExcessLooks { get; set; }

    public int BusyDelay { get; set; }

    public bool IsBusyDelayOver()
    {
        if (BusyDelay == 0)
        {
            (BusyDelay, _busyLooks) = (FirstBusyDelayLooks, 0);
            return true;
        }

        if (++_busyLooks < BusyDelay)
        {
            return false;
        }

        (BusyDelay, _busyLooks) = (Math.Min(BusyDelay * 2, LastBusyDelayLooks), 0);
        return true;
    }

    /// <summary>Counts a check.</summary>
    /// <returns>Whether work waits.</returns>
    public bool Looks(bool isSaturated)
    {
        if (isSaturated)
        {
            SaturatedLooks++;
        }
        else
        {
            (SaturatedLooks, StuckLooks, ExcessLooks, BusyDelay) = (0, 0, 0, 0);
            NoSpare.End();
        }

        return isSaturated;
    }

    /// <summary>No work waits on the node: what its workers did before says nothing.</summary>
    public void ForgetWorkers()
    {
        MakesProgress = false;
        group.HasHeldUp = false;
        foreach (var worker in group.Workers)
        {
            if (worker is not null)
            {
                worker.StaleLooks = 0;
                worker.IsHeldUp = false;
            }
        }
    }
}
