using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

/// <summary>The scheduler of a host with a large plan starts one worker per node at first, the others later.</summary>
public sealed class StagedStartTests : IDisposable
{
    private readonly FakeAffinity _affinity = new();
    private NumaTaskScheduler? _scheduler;

    public void Dispose() => _scheduler?.Dispose();

    [Fact]
    public void Scheduler_NothingRequested_HasAWorkerPerNodeAndRunsWork()
    {
        var scheduler = Start(4, 4);
        for (var i = 0; i < 100; i++)
        {
            // A worker that is still on its way to sleep would count as busy.
            scheduler.WaitForIdle();
            scheduler.RunOnNode(i % 2, static () => { }).WaitFor();
        }

        Assert.Equal([1, 1], Workers());
        Assert.Equal((0, 0), (scheduler.GetSpareCount(0), scheduler.GetSpareCount(1)));
        Assert.Equal(8, scheduler.MaximumConcurrencyLevel);
    }

    // Without a host, or in one that is never started.
    [Fact]
    public void Starter_NothingRequestedForLong_StartsAllWorkers()
    {
        var options = OptionsOf(TestMachine.Plan(4, 3));
        options.StartsAllAfter = TimeSpan.FromMilliseconds(1);
        _scheduler = new NumaTaskScheduler(options);

        AssertComplete(4, 3);
    }

    // The thread that made the scheduler may have fewer, and keep them busy.
    [Fact]
    public void StarterAndMonitor_HaveAllCpusOfThePlan()
    {
        Start(4, 3);
        Wait.Until(() => Pins("0-6") == 2);
    }

    [Fact]
    public void Starter_AnAffinityProviderDisposesOfTheScheduler_DoesNotWaitForItself()
    {
        NumaTaskScheduler? scheduler = null;
        using var isMade = new ManualResetEventSlim();
        using var isDisposed = new ManualResetEventSlim();
        var provider = Substitute.For<INumaAffinityProvider>();
        provider.SetThreadCpus(Arg.Any<CpuSet>()).Returns(_ =>
        {
            if (Thread.CurrentThread.Name == "numa-start")
            {
                isMade.Wait();
                scheduler!.Dispose();
                isDisposed.Set();
            }

            return NumaResult.Success;
        });
        var options = OptionsOf(TestMachine.Plan(2, 2));
        options.Affinity = provider;
        _scheduler = scheduler = new NumaTaskScheduler(options);
        isMade.Set();

        Wait.For(isDisposed);
    }

    [Fact]
    public void StartAll_StartsAllWorkersPinnedAndEnds()
    {
        var scheduler = Start(4, 3);
        scheduler.Starter!.StartAll();

        AssertComplete(4, 3);
        Wait.Until(() => Pins("0-3") == 4 && Pins("4-6") == 3);
    }

    [Fact]
    public void Node_MoreItemsThanWorkers_GetsWorkersAndOthersDoNot()
    {
        var scheduler = Start(4, 4);
        using var all = new Barrier(4);
        Task.WhenAll(Enumerable.Range(0, 4).Select(_ => scheduler.RunOnNode(1, all.SignalAndWait))).WaitFor();

        Assert.Equal([1, 4], Workers());
        scheduler.Starter!.StartAll();
        AssertComplete(4, 4);
    }

    // There are as many workers as planned, but most are spares, which leave.
    [Fact]
    public void Node_SparesInPlaceOfItsWorkers_GetsWorkersAllTheSame()
    {
        var scheduler = Start(4);
        using var gate = new Gate();
        Array.ForEach([1, 2, 3], _ => Assert.True(scheduler.Groups[0].TryAddSpare()));
        var blocked = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => scheduler.RunOnNode(0, gate.Pass)));
        scheduler.RunOnNode(0, static () => { }).WaitFor();

        Assert.False(blocked.IsCompleted);
        gate.Open();
        blocked.WaitFor();
    }

    [Fact]
    public void Worker_WaitsForWhatItHasQueued_ItsNodeGetsAnother()
    {
        var scheduler = Start(2, 2);
        scheduler.RunOnNode(0, () => scheduler.RunOnNode(0, static () => { }).WaitFor()).WaitFor();
        var factory = new TaskFactory(scheduler.ForNode(new(1)));
        factory.StartNew(() => factory.StartNew(static () => { }).WaitFor()).WaitFor();

        Assert.Equal([2, 2], Workers());
        AssertComplete(2, 2);
    }

    [Fact]
    public void Apply_NothingRequested_AddsTheWorkersOfThePlanAndEndsTheStarter()
    {
        var scheduler = Start(NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1")));
        Apply(scheduler, "0,4-6");
        Assert.Equal([1, 3], Workers());
        AssertComplete(1, 3);
    }

    [Fact]
    public void StartAll_WhileThePlanChanges_EndsWithTheWorkersOfTheLast()
    {
        for (var round = 0; round < 50; round++)
        {
            using var scheduler = Start(NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1")));
            scheduler.Starter!.StartAll();
            Array.ForEach(["0,4", "0-3,4", "0-7"], cpus => Apply(scheduler, cpus));

            // A worker that a smaller plan has made a spare may leave.
            Wait.Until(() => Workers() is [4, 4] && scheduler.Starter is null);
        }
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(false, 20)]
    [InlineData(true, 20)]
    public void Dispose_BeforeAllWorkersStarted_RunsAllItemsAndEndsAllThreads(bool isRequested, int items)
    {
        const int Rounds = 50;
        var ran = 0;
        for (var round = 0; round < Rounds; round++)
        {
            var scheduler = Start(4, 4);
            var starter = scheduler.Starter!;
            if (isRequested)
            {
                starter.StartAll();
            }

            for (var item = 0; item < items; item++)
            {
                scheduler.QueueOnNode(item % 2, _ => Interlocked.Increment(ref ran), state: null);
            }

            scheduler.Dispose();
            Assert.True(starter.Join(TimeSpan.Zero));
            Assert.All(scheduler.Groups, static group =>
                Assert.All(group.Workers.ToArray(), static worker => Assert.NotEqual(false, worker?.Join(TimeSpan.Zero))));
        }

        Assert.Equal(Rounds * items, ran);
    }

    private static void Apply(NumaTaskScheduler scheduler, string cpus) =>
        scheduler.Apply(scheduler.Plan.Adapt(TestMachines.ReadAllowed(cpus, "0-1")).Plan);

    private int[] Workers() => [_scheduler!.GetWorkerCount(0), _scheduler.GetWorkerCount(1)];

    private void AssertComplete(params int[] workers)
    {
        Wait.Until(() => _scheduler!.Starter is null);
        Assert.Equal(workers, Workers());
        Assert.Equal((0, 0), (_scheduler!.GetSpareCount(0), _scheduler.GetSpareCount(1)));
    }

    private int Pins(string cpus) => _affinity.Pinned.Values.Count(each => each.ToString() == cpus);

    private NumaTaskScheduler Start(params int[] cpusPerNode) => Start(TestMachine.Plan(cpusPerNode));

    private NumaTaskScheduler Start(NumaPlan plan) => _scheduler = new NumaTaskScheduler(OptionsOf(plan));

    // Without spares, and with nothing overdue: what runs does so on a worker of the plan.
    private NumaTaskSchedulerOptions OptionsOf(NumaPlan plan)
    {
        var options = TestMachine.Options(plan);
        options.Affinity = _affinity;
        options.CompensateBlocking = false;
        options.MostWorkersAtStart = 1;
        options.StartsAllAfter = Timeout.InfiniteTimeSpan;
        return options;
    }
}
