using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class PlanChangeTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaTaskScheduler _scheduler;

    public PlanChangeTests() => _scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
    {
        Plan = NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1")),
        Affinity = _affinity,
        Fallbacks = _fallbacks,
        Policy = NumaSchedulingPolicy.NodeStrict,
    });

    public void Dispose() => _scheduler.Dispose();

    [Fact]
    public void Apply_SleepingWorkers_PinThemselvesAtOnce()
    {
        WaitForPins("0-3", 4, "4-7", 4);
        Apply("4-7", "1");
        WaitForPins("4-7", 8 + 1);
        Apply("0-7", "0-1");
        WaitForPins("0-3", 4, "4-7", 4);
    }

    [Fact]
    public void Apply_CpusGoAndComeBack_WorkersFollow()
    {
        WaitForPins("0-3", 4, "4-7", 4);
        Apply("0-1,6", "0-1");
        Assert.Equal(3, _scheduler.MaximumConcurrencyLevel);
        Wait.Until(() => _scheduler.GetWorkerCount(0) == 2 && _scheduler.GetWorkerCount(1) == 1);

        Apply("0-7", "0-1");
        Assert.Equal(8, _scheduler.MaximumConcurrencyLevel);
        Assert.Equal((4, 4), (_scheduler.GetWorkerCount(0), _scheduler.GetWorkerCount(1)));
        AssertRunAtOnce(0, 4);
        AssertRunAtOnce(1, 4);
    }

    [Fact]
    public void Apply_WorkersTooManyAndBusy_GoAfterTheirItems()
    {
        using var scheduler = StartWithoutSpares(NumaSchedulingPolicy.NodeStrict);
        using var gate = new ManualResetEvent(false);
        scheduler.Occupy(1, gate);
        Apply(scheduler, "0-3,6");
        Assert.Equal(4, scheduler.GetWorkerCount(1));

        gate.Set();
        Wait.Until(() => scheduler.GetWorkerCount(1) == 1);
        Wait.Until(() => scheduler.GetExecuted(1) == 4);
    }

    [Fact]
    public void Apply_FewerWorkersMakeTheBacklogWorthAStealing_ANeighbourRunsIt()
    {
        using var scheduler = StartWithoutSpares(NumaSchedulingPolicy.LocalityFirst);
        for (var round = 0; round < 100; round++)
        {
            using var gate = new ManualResetEvent(false);
            scheduler.Occupy(1, gate);
            Wait.Until(() => scheduler.Groups[0].IdleCount == 4);
            var waiting = scheduler.RunOnNode(1, static () => NumaTaskScheduler.CurrentNodeIndex);

            Apply(scheduler, "0-3,6");
            waiting.WaitFor();
            Assert.Equal(0, waiting.Result);

            gate.Set();
            Apply(scheduler, "0-7");
        }
    }

    [Fact]
    public void Apply_MoreCpusThanAtTheStart_GetWorkers()
    {
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(TestMachines.ReadAllowed("0-1", "0")),
            Affinity = new FakeAffinity(),
        });
        Assert.Equal(2, scheduler.GetWorkerCount(0));

        scheduler.Apply(scheduler.Plan.Adapt(TestMachines.ReadAllowed("0-3", "0")).Plan);

        Assert.Equal(4, scheduler.GetWorkerCount(0));
        AssertRunAtOnce(scheduler, 0, 4);
    }

    [Fact]
    public void Apply_SamePlan_PinsAllAgain()
    {
        WaitForPins("0-3", 4, "4-7", 4);
        foreach (var thread in _affinity.Pinned.Keys)
        {
            _affinity.Pinned[thread] = CpuSet.ParseList("0-7");
        }

        _scheduler.Apply(_scheduler.Plan);
        WaitForPins("0-3", 4, "4-7", 4);
    }

    [Fact]
    public void Apply_BusyWorker_PinsItselfBeforeItsNextItem()
    {
        using var gate = new ManualResetEvent(false);
        _scheduler.Occupy(0, gate);
        Apply("0-1,4-7", "0-1");
        Assert.Equal(4, _affinity.Pinned.Values.Count(static cpus => cpus.ToString() == "0-3"));

        var seen = _scheduler.RunOnNode(0, () => _affinity.Pinned[Environment.CurrentManagedThreadId].ToString());
        gate.Set();
        seen.WaitFor();
        Assert.Equal("0-1", seen.Result);
    }

    [Fact]
    public void Apply_NodeLosesItsCpus_ItsWorkStillRunsAsItsOwn()
    {
        Apply("0-3", "0-1");
        var index = _scheduler.RunOnNode(1, static () => NumaTaskScheduler.CurrentNodeIndex);
        index.WaitFor();
        Assert.Equal(1, index.Result);
        _affinity.CurrentCpu = 2;
        Assert.Equal(0, _scheduler.IndexOfCaller());
    }

    [Fact]
    public void Apply_Refused_IsReportedAgainForTheNewPlan()
    {
        WaitForPins("0-3", 4, "4-7", 4);
        _affinity.Answer = new NumaResult(NumaFailure.InvalidArgument, 22, "EINVAL");
        Apply("0-1,4-7", "0-1");
        Wait.Until(() => _fallbacks.Current.Count == 2);
        Assert.Contains(
            _fallbacks.Current,
            static fallback => fallback.Message.Contains("CPUs 0-1 (EINVAL)", StringComparison.Ordinal));
    }

    [Fact]
    public void Apply_PlanOfAnotherMachine_IsRefused()
    {
        Assert.Throws<ArgumentNullException>(() => _scheduler.Apply(null!));
        var exception = Assert.Throws<ArgumentException>(() => _scheduler.Apply(TestMachine.Plan(2)));
        Assert.Contains("must be made by Adapt from the current one", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Apply_UnderLoad_RunsEveryItemOnceOnItsNode()
    {
        const int Items = 200_000;
        var ran = new int[Items];
        var wrong = 0;
        using var done = new CountdownEvent(Items);
        void Run(object? state)
        {
            var item = (int)state!;
            Interlocked.Increment(ref ran[item]);
            if (NumaTaskScheduler.CurrentNodeIndex != item % 2)
            {
                Interlocked.Increment(ref wrong);
            }

            done.Signal();
        }

        using var stop = new CancellationTokenSource();
        var flips = 0;
        var flipping = Task.Factory.StartNew(
            () => Flip(ref flips, stop.Token), stop.Token, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Wait.Until(() => Volatile.Read(ref flips) > 1);
        for (var item = 0; item < Items; item++)
        {
            _scheduler.QueueOnNode(item % 2, Run, item);
        }

        done.WaitFor();
        await stop.CancelAsync();
        await flipping;
        Assert.Equal(0, wrong);
        Assert.All(ran, static count => Assert.Equal(1, count));
    }

    [Fact]
    public void Apply_AfterTheEnd_DoesNothing()
    {
        _scheduler.Dispose();
        Apply("0-3", "0");
        Assert.Equal("0-3", _scheduler.Plan.Cpus.ToString());
    }

    private void AssertRunAtOnce(int node, int count) => AssertRunAtOnce(_scheduler, node, count);

    // Each waits for the others.
    private static void AssertRunAtOnce(NumaTaskScheduler scheduler, int node, int count)
    {
        using var all = new Barrier(count);
        Task.WhenAll(Enumerable.Range(0, count).Select(_ => scheduler.RunOnNode(
            node, () => Assert.True(all.SignalAndWait(Wait.Limit))))).WaitFor();
    }

    private void Flip(ref int flips, CancellationToken stop)
    {
        string[] machines = ["0-3", "4-7", "0,4", "0-7"];
        while (!stop.IsCancellationRequested)
        {
            Apply(machines[flips % machines.Length], "0-1");
            Volatile.Write(ref flips, flips + 1);
        }
    }

    // Nothing is ever overdue there, and no spare helps: what goes anywhere does so because of the plan.
    private static NumaTaskScheduler StartWithoutSpares(NumaSchedulingPolicy policy)
    {
        var options = TestMachine.Options(NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1")), policy);
        options.CompensateBlocking = false;
        options.MonitorPauseMilliseconds = Timeout.Infinite;
        return new NumaTaskScheduler(options);
    }

    private static void Apply(NumaTaskScheduler scheduler, string cpus) =>
        scheduler.Apply(scheduler.Plan.Adapt(TestMachines.ReadAllowed(cpus, "0-1")).Plan);

    private void Apply(string cpus, string memoryNodes) =>
        _scheduler.Apply(_scheduler.Plan.Adapt(TestMachines.ReadAllowed(cpus, memoryNodes)).Plan);

    // The thread that watches for blocked workers is pinned to all CPUs: it counts where a node has them all.
    private void WaitForPins(string first, int count, string? second = null, int secondCount = 0) => Wait.Until(() =>
    {
        var pinned = _affinity.Pinned.Values.Select(static cpus => cpus.ToString()).ToArray();
        return pinned.Count(cpus => cpus == first) == count && pinned.Count(cpus => cpus == second) == secondCount;
    });
}
