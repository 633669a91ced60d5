using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>The system has no more threads: what is done without them is said until there are some again.</summary>
public sealed class ThreadTests
{
    private readonly NumaFallbacks _fallbacks = new();

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
            Assert.StartsWith("Loop 0 of node 0 has no thread: ", exception.Message, StringComparison.Ordinal);
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
        Wait.Until(() => (scheduler.WorkerCount(0), scheduler.GetSpareCount(0)) == (2, 1));
        scheduler.Apply(scheduler.Plan);
        Assert.Empty(_fallbacks.Current);
        Assert.Equal(3, scheduler.WorkerCount(0) - scheduler.GetSpareCount(0));
        gate.Open();
        await blocked.Within("what has blocked ends");
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

    private NumaTaskScheduler Start(int workers, int atStart = int.MaxValue) => new(new NumaTaskSchedulerOptions
    {
        Plan = MachineOf(workers).Plan(),
        Affinity = new FakeAffinity(),
        Fallbacks = _fallbacks,
        MostWorkersAtStart = atStart,
    });
}
