using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>The system has no more threads: the fallback is reported until there are some again.</summary>
public sealed class ThreadTests
{
    private const string Tasks = "/proc/self/task";

    private readonly NumaFallbacks _fallbacks = new();
    private readonly FakeAffinity _affinity = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Loop_NoThreadForASpare_IsAFallbackUntilThereIsOne(bool isMade)
    {
        await using var server = new FaultServer();
        using (NoThreadAfterTheFirstTwo(isMade))
        {
            await server.StartAsync();
            Assert.Equal("loop.spare", Assert.Single(server.Fallbacks.Current).Feature);
        }

        await server.Transport.RestartAsync().Within("the restart");
        Wait.Until(() => server.Fallbacks.Current.Count == 0);
        await server.AssertServesAsync();
    }

    [Fact]
    public void Loop_NoThreadAtAll_LeavesNothingBehindAndStartsTheNextTime()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        StartThreadsOfTheProcess();
        var descriptors = Descriptors.Count();
        using var group = new NumaEventLoopGroup(TestMachines.OneCpu().Plan());
        using (new Fault("clone", Errno.EAGAIN))
        {
            var exception = Assert.Throws<NumaException>(() => group.Loops);
            Assert.StartsWith("Loop 0 of node 0 got no thread: ", exception.Message, StringComparison.Ordinal);
        }

        Assert.Equal(descriptors, Descriptors.Count());
        Assert.Equal(1, Assert.Single(group.Loops).ThreadCount);
    }

    [Fact]
    public void Watchdog_NoThread_LeavesNothingBehindAndStartsTheNextTime()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Event loops need Linux (epoll).");
        StartThreadsOfTheProcess();
        var descriptors = Descriptors.Count();
        using var group = new NumaEventLoopGroup(
            TestMachines.OneCpu().Plan(), new NumaEventLoopGroupOptions { StallThreshold = TimeSpan.FromSeconds(1) });
        using (new Fault("clone", Errno.EAGAIN, skip: 1))
        {
            var exception = Assert.Throws<NumaException>(() => group.Loops);
            Assert.StartsWith("The watchdog of the event loops has no thread: ", exception.Message, StringComparison.Ordinal);
        }

        // The loop's thread had started, and closes what it has when it ends.
        Wait.Until(() => Descriptors.Count() == descriptors);
        Assert.Single(group.Loops);
    }

    [Fact]
    public async Task Loop_EndsWithoutASpare_TakesTheFallbackWithIt()
    {
        var server = new FaultServer();
        await using (server)
        {
            using var fault = NoThreadAfterTheFirstTwo();
            await server.StartAsync();
            Assert.Equal("loop.spare", Assert.Single(server.Fallbacks.Current).Feature);
        }

        Wait.Until(() => server.Fallbacks.Current.Count == 0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Scheduler_NoThreadForASpare_IsAFallbackUntilThereIsOneOrNoNeed(bool isThereOneAtLast)
    {
        using var scheduler = Start(workers: 1);
        using var gate = new Gate();
        var fault = new Fault("clone", Errno.EAGAIN, times: int.MaxValue);
        using (fault)
        {
            var blocked = scheduler.RunOnNode(0, gate.Pass);
            var waits = scheduler.RunOnNode(0, static () => { });
            Wait.Until(() => _fallbacks.Current.Count > 0);
            Assert.Equal(("scheduler.spare", 0), (_fallbacks.Current[0].Feature, _fallbacks.Current[0].NodeId?.Value));
            Assert.False(waits.IsCompleted);
            if (!isThereOneAtLast)
            {
                gate.Open();
                await blocked.Within("what has blocked ends");
                await waits.Within("what has waited ends");
                Wait.Until(() => _fallbacks.Current.Count == 0);
                return;
            }

            fault.Dispose();
            await waits.Within("what has waited ends");
            Assert.False(blocked.IsCompleted);
        }

        Wait.Until(() => _fallbacks.Current.Count == 0);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Scheduler_NoThreadForAWorkerOfThePlan_IsAFallbackUntilThereIsOneOrItEnds(bool isThereOneAtLast)
    {
        using var scheduler = Start(workers: 1);
        var larger = scheduler.Plan.Adapt(MachineOf(workers: 2).Read()).Plan;
        using (new Fault("clone", Errno.EAGAIN))
        {
            scheduler.Apply(larger);
        }

        Assert.Equal("scheduler.worker", Assert.Single(_fallbacks.Current).Feature);
        if (isThereOneAtLast)
        {
            scheduler.Apply(larger);
        }
        else
        {
            scheduler.Dispose();
        }

        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public async Task Scheduler_NoThreadsForThoseThatStartLater_ServesWithFewerUntilThePlanIsApplied()
    {
        using var scheduler = Start(workers: 3, atStart: 1);
        using var gate = new Gate();
        using (new Fault("clone", Errno.EAGAIN, times: int.MaxValue))
        {
            scheduler.Starter?.StartAll();
            Wait.Until(() => scheduler.Starter is null);
            var fallback = Assert.Single(_fallbacks.Current);
            Assert.Equal("scheduler.worker", fallback.Feature);
            Assert.StartsWith("Node 0 has 1 of its 3 workers (", fallback.Message, StringComparison.Ordinal);
            await scheduler.RunOnNode(0, static () => { }).Within("an item of the only worker");
        }

        // Spares are those beyond the plan's three.
        var blocked = Task.WhenAll(Enumerable.Range(0, 2).Select(_ => scheduler.RunOnNode(0, gate.Pass)));
        Wait.Until(() => (scheduler.GetWorkerCount(0), scheduler.GetSpareCount(0)) == (2, 1));
        scheduler.Apply(scheduler.Plan);
        Assert.Empty(_fallbacks.Current);
        Assert.Equal(3, scheduler.GetWorkerCount(0) - scheduler.GetSpareCount(0));
        gate.Open();
        await blocked.Within("what has blocked ends");
    }

    // At this distance one item is too little for the plan's four workers to leave it to another node.
    [Fact]
    public void Scheduler_NoThreadsForThoseThatStartLater_TheirWorkIsWorthStealing()
    {
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = MachineOf(workers: 4).Plan(),
            Affinity = _affinity,
            CompensateBlocking = false,
            MostWorkersAtStart = 1,
            StartsAllAfter = Timeout.InfiniteTimeSpan,
        });
        using var gate = new Gate();
        using (new Fault("clone", Errno.EAGAIN, times: int.MaxValue))
        {
            scheduler.Starter?.StartAll();
            Wait.Until(() => scheduler.Starter is null);
        }

        using var isTaken = new ManualResetEventSlim();
        scheduler.QueueOnNode(
            0,
            _ =>
            {
                isTaken.Set();
                gate.Pass();
            },
            state: null);
        Wait.For(isTaken);
        scheduler.QueueOnNode(0, static _ => { }, state: null);

        var group = scheduler.Groups[0];
        Assert.Equal((4, 1), (group.BaseCount, group.RunningCount));
        Assert.True(new Neighbour(group, distance: 20).IsWorthStealing);
    }

    [Fact]
    public void Scheduler_NoThreadForItsMonitor_IsNotMade()
    {
        using var fault = new Fault("clone", Errno.EAGAIN, skip: 1);
        Assert.Throws<OutOfMemoryException>(() => Start(workers: 1));
    }

    [Fact]
    public void Scheduler_NoThreadForALongTask_FailsItsStart()
    {
        using var scheduler = Start(workers: 1);
        using var fault = new Fault("clone", Errno.EAGAIN);
        var exception = Assert.Throws<TaskSchedulerException>(() =>
        {
            _ = Task.Factory.StartNew(static () => { }, CancellationToken.None, TaskCreationOptions.LongRunning, scheduler);
        });
        Assert.IsType<OutOfMemoryException>(exception.InnerException);
    }

    // Its own worker cannot wait for the end. Other callers of Dispose do, and would wait for ever without one.
    [Fact]
    public async Task Scheduler_NoThreadForTheEndThatItsWorkerBegins_EndsAllTheSame()
    {
        using var scheduler = Start(workers: 1);
        using var fault = new Fault("clone", Errno.EAGAIN);
        await scheduler.RunOnNode(0, scheduler.Dispose).Within("the worker does not wait");
        Assert.True(fault.WasMet);
        await Task.Run(scheduler.Dispose).Within("the end");
    }

    [Fact]
    public void PlanMonitor_NoThread_MayBeStartedAgain()
    {
        StartThreadsOfTheProcess();
        using var machine = new SimulatedMachine(MachineOf(workers: 1));
        using var monitor = new NumaPlanMonitor(MachineOf(workers: 1).Plan(), machine.Platform, _fallbacks);
        using (new Fault("clone", Errno.EAGAIN))
        {
            Assert.Throws<OutOfMemoryException>(() => monitor.Start(TimeSpan.FromDays(1)));
        }

        monitor.Start(TimeSpan.FromDays(1));
    }

    [Fact]
    public void Timer_NoThreadForTheFirst_IsNotMadeAndTheNextOneIs()
    {
        var time = new BackgroundTime(static () => 0);
        using (new Fault("clone", Errno.EAGAIN))
        {
            Assert.Throws<OutOfMemoryException>(() => Create(static () => { }));
        }

        using var called = new ManualResetEvent(initialState: false);
        using var timer = Create(() => called.Set());
        Wait.For(called);

        ITimer Create(Action callback) => time.CreateTimer(_ => callback(), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }

    // The pool may need one at any moment, and the process ends when there is none.
    [Fact]
    public void Scheduler_TheSystemHasFewThreads_APlanThatIsAppliedLeavesSome()
    {
        using var scheduler = Start(workers: 3);
        var larger = scheduler.Plan.Adapt(MachineOf(workers: 5).Read()).Plan;
        using (new Fault("clone", Errno.EAGAIN, times: int.MaxValue, skip: ReservedThreads.Count + 1))
        {
            scheduler.Apply(larger);
        }

        Assert.Equal(4, scheduler.GetWorkerCount(0));
        Assert.StartsWith(
            "Node 0 has 4 of its 5 workers (", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Scheduler_NoThreadsWhenThePlanIsApplied_IsAFallbackUntilTheStarterHasThem()
    {
        using var counted = new Fault("clone", 0, times: int.MaxValue);
        using var scheduler = Start(workers: 3, atStart: 1);

        // The worker, the monitor, the starter, and what it keeps in reserve.
        Wait.Until(() => counted.Failed == 3 + ReservedThreads.Count);
        counted.Dispose();
        Assert.True(scheduler.Groups[0].TryAddSpare());
        using (new Fault("clone", Errno.EAGAIN))
        {
            scheduler.Apply(scheduler.Plan);
        }

        Assert.StartsWith(
            "Node 0 has 1 of its 3 workers (", Assert.Single(_fallbacks.Current).Message, StringComparison.Ordinal);
        scheduler.Starter!.StartAll();
        Wait.Until(() => scheduler.Starter is null);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public async Task Scheduler_EndsBeforeTheStarterIsRefusedAThread_LeavesNoFallback()
    {
        var stop = new StopLimit(TimeProvider.System);
        stop.Begin(TimeSpan.Zero);
        using var gate = new Gate();
        using var fault = new Fault("clone", Errno.EAGAIN, skip: 3, onCall: gate.Pass);
        var scheduler = Start(workers: 3, atStart: 1, stop: stop);
        var starter = scheduler.Starter!;
        await fault.Met.Within("the starter starts a thread");
        scheduler.Dispose();
        gate.Open();

        Wait.Until(() => starter.Join(TimeSpan.Zero));
        Assert.DoesNotContain(_fallbacks.Current, static fallback => fallback.Feature == "scheduler.worker");
    }

    [Fact]
    public void Scheduler_NoThreadForTheStarter_DoesNotStartAndLeavesNoThread()
    {
        Assert.SkipUnless(Directory.Exists(Tasks), $"no {Tasks} to see threads in");
        using (new Fault("clone", Errno.EAGAIN, skip: 2))
        {
            Assert.Throws<OutOfMemoryException>(() => Start(workers: 3, atStart: 1, prefix: "refused"));
        }

        Wait.Until(static () => !Directory.EnumerateDirectories(Tasks).Any(static task =>
            NameOf(task).StartsWith("refused", StringComparison.Ordinal)));
    }

    // Starts are slow, and there may be hundreds of them.
    [Fact]
    public async Task Scheduler_AThreadForAWorkerIsLate_TheWorkersThatItHasFollowThePlan()
    {
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(TestMachines.ReadAllowed("0,4", "0-1")),
            Affinity = _affinity,
        });
        using var gate = new Gate();
        using var fault = new Fault("clone", 0, onCall: gate.Pass);
        var larger = scheduler.Plan.Adapt(TestMachines.ReadAllowed("0-1,4-5", "0-1")).Plan;
        var applied = Task.Factory.StartNew(() => scheduler.Apply(larger), TaskCreationOptions.LongRunning);
        await fault.Met.Within("a thread is started");
        Wait.Until(() => Pins("0-1") == 1 && Pins("4-5") == 1);
        Assert.Equal((0, 0), (scheduler.GetExecuted(0), scheduler.GetExecuted(1)));

        gate.Open();
        await applied.Within("the plan is applied");
        Assert.Equal((2, 2), (scheduler.GetWorkerCount(0), scheduler.GetWorkerCount(1)));
    }

    private int Pins(string cpus) => _affinity.Pinned.Values.Count(each => each.ToString() == cpus);

    // The loop's first and the watchdog's are there: the transport does not start without.
    private static Fault NoThreadAfterTheFirstTwo(bool isMade = false)
    {
        StartThreadsOfTheProcess();
        return isMade
            ? new Fault("clone", 0, times: int.MaxValue, skip: 2, onCall: ThrowWhatAThreadWithoutMemoryThrows)
            : new Fault("clone", Errno.EAGAIN, times: int.MaxValue, skip: 2);
    }

    // They start once, with the first test that needs them, and would count there.
    private static void StartThreadsOfTheProcess()
    {
        Outbox.Instance.Start();
        BackgroundTime.Instance.CreateTimer(static _ => { }, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan).Dispose();
    }

    // Its constructors are the runtime's own.
    private static void ThrowWhatAThreadWithoutMemoryThrows() =>
        throw (ThreadStartException)Activator.CreateInstance(typeof(ThreadStartException), nonPublic: true)!;

    private static SimulatedMachineOptions MachineOf(int workers) => TestMachines.Row(workers);

    // A thread may end between the listing and the reading.
    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Join(task, "comm"));
        }
        catch (IOException)
        {
            return "";
        }
    }

    private NumaTaskScheduler Start(
        int workers, int atStart = int.MaxValue, string? prefix = null, StopLimit? stop = null) =>
        new(new NumaTaskSchedulerOptions
        {
            Plan = MachineOf(workers).Plan(),
            Affinity = _affinity,
            Fallbacks = _fallbacks,
            ThreadNamePrefix = prefix,
            StopLimit = stop ?? new StopLimit(TimeProvider.System),
            MostWorkersAtStart = atStart,
            StartsAllAfter = Timeout.InfiniteTimeSpan,
        });
}
