using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>
/// What waits on a node whose worker is woken or searching is left to that worker, unless it is overdue. The worker of node 0 is
/// held there; node 1 has nothing else to do.
/// </summary>
public sealed class WokenWorkerTests : IDisposable
{
    private readonly ManualResetEvent _gate = new(false);
    private readonly FakeAffinity _affinity = new();
    private NumaTaskScheduler? _scheduler;
    private volatile bool _isHeld;

    public void Dispose()
    {
        _gate.Set();
        _scheduler?.Dispose();
        _gate.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Work_OwnWorkerIsWokenOrSearching_IsLeftToIt(bool isWoken)
    {
        var scheduler = Start(Timeout.Infinite);
        EndMonitorsLooks(scheduler);
        Hold(scheduler, isWoken);

        var task = scheduler.RunOnNode(0, static () => NumaTaskScheduler.CurrentNodeIndex);
        LookAround(scheduler);

        Assert.False(task.IsCompleted);
        Assert.Equal((1, 0), (scheduler.GetQueueLength(0), scheduler.GetStolen(1)));
        _gate.Set();
        task.WaitFor();
        Assert.Equal(0, task.Result);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Work_OwnWorkerIsWokenOrSearching_IsTakenByOthersWhenOverdue(bool isWoken)
    {
        var scheduler = Start(Timeout.Infinite);
        EndMonitorsLooks(scheduler);
        Hold(scheduler, isWoken);
        var first = scheduler.RunOnNode(0, static () => NumaTaskScheduler.CurrentNodeIndex);
        LookAround(scheduler);

        scheduler.Groups[0].SetOverdue(true);
        first.WaitFor();
        Assert.Equal(1, first.Result);

        // The producer relies on the held worker. The node is overdue already: the monitor's next look must wake the other.
        WaitUntilAsleep(scheduler);
        var second = scheduler.RunOnNode(0, static () => NumaTaskScheduler.CurrentNodeIndex);
        scheduler.Groups[0].SetOverdue(true);
        second.WaitFor();
        Assert.Equal(1, second.Result);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Work_LeftToAWorkerThatGetsNoCpu_IsSeenByTheMonitor(bool isWoken)
    {
        var scheduler = Start(BlockingMonitor.CheckMilliseconds);
        Hold(scheduler, isWoken);
        Wait.Until(() => scheduler.Monitor.IsAsleep);
        var task = scheduler.RunOnNode(0, static () => NumaTaskScheduler.CurrentNodeIndex);

        LookAround(scheduler);

        task.WaitFor();
        Assert.Equal(1, task.Result);
    }

    private NumaTaskScheduler Start(int monitorPause)
    {
        // Two CPUs for one worker: such a worker queries its CPU before it sleeps.
        var plan = NumaPlan.Create(TestMachines.Row(2, 2).Read(), new NumaPlanRequest { ThreadsPerNode = 1 });
        var options = TestMachine.Options(plan, NumaSchedulingPolicy.LocalityFirst);
        options.Affinity = _affinity;
        options.CompensateBlocking = false;
        options.MonitorPauseMilliseconds = monitorPause;
        _scheduler = new NumaTaskScheduler(options);
        _scheduler.WaitForIdle();
        return _scheduler;
    }

    private void Hold(NumaTaskScheduler scheduler, bool isWoken)
    {
        if (isWoken)
        {
            // Another placement wakes it, and it pins itself before it looks for work.
            _affinity.OnPinning = HoldWorker;
            var group = scheduler.Groups[0];
            group.Home.Place(scheduler.PlacementOf(group.Node));
        }
        else
        {
            _affinity.OnCurrent = () =>
            {
                HoldWorker();
                return 0;
            };
            scheduler.RunOnNode(0, static () => { }).WaitFor();
        }

        Wait.Until(() => _isHeld);
    }

    // For as long as the test takes: an assertion that failed here would end the process.
    private void HoldWorker()
    {
        if (Thread.CurrentThread.Name == "numa0-0")
        {
            _isHeld = true;
            _gate.WaitOne();
        }
    }

    // Without end of the pause the first look is the last one. It finds no work, and so takes back what is said here. Nothing may
    // have been queued before: a monitor whose thread starts late would find that, and take its one look for it.
    private static void EndMonitorsLooks(NumaTaskScheduler scheduler)
    {
        Wait.Until(() => scheduler.Monitor.IsAsleep);
        scheduler.Groups[0].SetOverdue(true);
        Wait.Until(() => !scheduler.Groups[0].IsOverdue);
        WaitUntilAsleep(scheduler);
    }

    // A worker looks everywhere after its item and before it announces itself as idle.
    private static void LookAround(NumaTaskScheduler scheduler)
    {
        scheduler.RunOnNode(1, static () => { }).WaitFor();
        scheduler.WaitForIdle(1);
    }

    private static void WaitUntilAsleep(NumaTaskScheduler scheduler)
    {
        scheduler.WaitForIdle(1);
        Wait.Until(() => scheduler.Groups[1].Workers[0]!.IsWaiting);
    }
}
