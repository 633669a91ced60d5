using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Interop;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Transport.Epoll.FaultTests;

/// <summary>The system has no more threads: the fallback is reported until there are some again.</summary>
public sealed class ThreadTests
{
    private readonly NumaFallbacks _fallbacks = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Loop_NoThreadForASpare_IsAFallbackUntilThereIsOne(bool isMade)
    {
        await using var server = new FaultServer();
        using (NoThreadAfterTheFirst(isMade))
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
        Outbox.Instance.Start();
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
    public async Task Loop_EndsWithoutASpare_TakesTheFallbackWithIt()
    {
        var server = new FaultServer();
        await using (server)
        {
            using var fault = NoThreadAfterTheFirst();
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

    // The loop's first is there: the transport does not start without. The outbox's thread would count before it.
    private static Fault NoThreadAfterTheFirst(bool isMade = false)
    {
        Outbox.Instance.Start();
        return isMade
            ? new Fault("clone", 0, times: int.MaxValue, skip: 1, onCall: ThrowWhatAThreadWithoutMemoryThrows)
            : new Fault("clone", Errno.EAGAIN, times: int.MaxValue, skip: 1);
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
