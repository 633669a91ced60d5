using System.Collections.Concurrent;
using NumaSharp.Core;
using NumaSharp.Scheduling;

namespace NumaSharp.Scheduling.Tests;

public sealed class StealingTests
{
    [Fact]
    public void Steals_FromOtherNodes_AreCountedByDistance()
    {
        using var gate = new ManualResetEvent(false);
        var options = TestMachine.Options(TestMachine.Plan(1, 1, 1), NumaSchedulingPolicy.LocalityFirst);
        options.CompensateBlocking = false;
        options.MonitorPauseMilliseconds = Timeout.Infinite;
        using var scheduler = new NumaTaskScheduler(options);
        scheduler.WaitForIdle();
        scheduler.Occupy(1, gate);
        scheduler.Occupy(0, gate);

        for (var i = 0; i < 3; i++)
        {
            scheduler.RunOnNode(0, static () => { }).WaitFor();
        }

        scheduler.RunOnNode(1, static () => { }).WaitFor();
        Wait.Until(() => scheduler.GetStolen(2) == 4);
        Assert.Equal(
            [new RemoteSteals(1, 1), new RemoteSteals(0, 3)], scheduler.Groups[2].GetSteals().Remote);
        Assert.Equal(
            [(10, 0L), (20, 1L), (30, 3L)],
            scheduler.GetStolenByDistance(2).Select(static each => (each.Key, each.Value)).Order());
        gate.Set();
    }

    [Fact]
    public void Steals_WorkersOwnQueue_AreCountedOnItsNode()
    {
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 2);
        RunStolenItem(scheduler);
        Assert.Equal((1, 0), Near(scheduler));
    }

    [Fact]
    public void Steals_NodeWithTwoCaches_AreCountedByCache()
    {
        var topology = new NumaTopology("test", TestMachines.Row(4).Read().Nodes)
        {
            LastLevelCaches = [new NumaCache(3, 0, CpuSet.Range(0, 2)), new NumaCache(3, 0, CpuSet.Range(2, 2))],
        };
        var (cpuOfThread, next) = (new ConcurrentDictionary<int, int>(), 0);
        var options = TestMachine.Options(NumaPlan.Create(topology, new NumaPlanRequest { ThreadsPerNode = 2 }));

        // Every other thread that asks is on CPU 0, the others are on CPU 2.
        options.Affinity = new FakeAffinity
        {
            OnCurrent = () => cpuOfThread.GetOrAdd(
                Environment.CurrentManagedThreadId, _ => Interlocked.Add(ref next, 2) % 4),
        };
        options.CompensateBlocking = false;
        using var scheduler = new NumaTaskScheduler(options);
        Assert.True(scheduler.Groups[0].HasCaches);

        // Each thread is on a CPU of its own: two workers, two caches.
        RunStolenItem(scheduler);
        Assert.Equal((0, 1), Near(scheduler));
    }

    [Theory]
    [InlineData(1, 20, 1, true)]
    [InlineData(2, 20, 1, true)]
    [InlineData(4, 20, 1, false)]
    [InlineData(4, 20, 2, true)]
    [InlineData(4, 30, 3, false)]
    [InlineData(4, 30, 4, true)]
    [InlineData(8, 11, 1, true)]
    public void IsWorthStealing_BacklogOfABusyNode_DependsOnTheDistance(int workers, int distance, int waiting, bool expected)
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, workers);
        var neighbour = new Neighbour(scheduler.Groups[0], distance);
        Wait.Until(() => scheduler.Groups[0].IdleCount == workers);
        Assert.False(neighbour.IsWorthStealing);
        scheduler.Occupy(0, gate);
        for (var i = 0; i < waiting; i++)
        {
            scheduler.QueueOnNode(0, static _ => { }, state: null);
        }

        Assert.Equal(expected, neighbour.IsWorthStealing);
        scheduler.Groups[0].SetOverdue(true);
        Assert.True(neighbour.IsWorthStealing);
        gate.Set();
    }

    [Fact]
    public void IsWorthStealing_WorkerIsSearching_OnlyWhenOverdue()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 1);
        var group = scheduler.Groups[0];
        var neighbour = new Neighbour(group, 20);
        scheduler.Occupy(0, gate);
        scheduler.QueueOnNode(0, static _ => { }, state: null);
        Assert.True(neighbour.IsWorthStealing);

        group.BeginSearch();
        Assert.False(neighbour.IsWorthStealing);
        group.SetOverdue(true);
        Assert.True(neighbour.IsWorthStealing);

        group.SetOverdue(false);
        group.EndSearch();
        Assert.True(neighbour.IsWorthStealing);
        gate.Set();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Stealing_TooLittleWaitsToPay_GoesFarWhenItHasWaitedForLong(bool compensate)
    {
        using var gate = new ManualResetEvent(false);
        var options = TestMachine.Options(TestMachine.Plan(4, 4), NumaSchedulingPolicy.LocalityFirst);
        options.CompensateBlocking = compensate;
        using var scheduler = new NumaTaskScheduler(options);
        scheduler.Occupy(0, gate);

        scheduler.RunOnNode(0, static () => { }).WaitFor();

        gate.Set();
    }

    [Fact]
    public void NodeCaches_CpusBeyond1024_AreFound()
    {
        var cpus = CpuSet.ParseList("2000-2003");
        var topology = new NumaTopology("test", [TestMachines.Row(1).Read().Nodes[0] with { Cpus = cpus, OnlineCpus = cpus }])
        {
            LastLevelCaches = [new NumaCache(3, 0, CpuSet.ParseList("2000-2001")), new NumaCache(3, 0, CpuSet.FromIds(2003))],
        };

        var caches = NodeCaches.Of(topology, cpus)!;

        Assert.Equal((-1, 0, 0), (caches.Of(0), caches.Of(2000), caches.Of(2001)));
        Assert.Equal((-1, 1, -1), (caches.Of(2002), caches.Of(2003), caches.Of(2004)));
        Assert.Null(NodeCaches.Of(topology, CpuSet.ParseList("2000-2001")));
    }

    // One worker queues it in its own queue, and stays until another one has run it.
    private static void RunStolenItem(NumaTaskScheduler scheduler)
    {
        using var ran = new ManualResetEvent(false);
        using var ended = new ManualResetEvent(false);
        scheduler.QueueOnNode(
            0,
            _ =>
            {
                scheduler.QueueOnNode(0, _ => ran.Set(), state: null);
                ran.WaitFor();
                ended.Set();
            },
            state: null);
        ended.WaitFor();
    }

    [Fact]
    public void Items_TakenTogetherWithOneThatBlocks_RunWhileMoreAndMoreAreQueued()
    {
        using var first = new ManualResetEvent(false);
        using var second = new ManualResetEvent(false);
        using var block = new ManualResetEvent(false);
        using var entered = new CountdownEvent(2);
        using var isBlocked = new ManualResetEvent(false);
        using var scheduler = TestMachine.Start(NumaSchedulingPolicy.NodeStrict, 2);
        var (behind, isOver) = (0, false);
        void Hold(object? gate)
        {
            entered.Signal();
            ((ManualResetEvent)gate!).WaitOne();
        }

        void Again(object? state)
        {
            if (!Volatile.Read(ref isOver))
            {
                scheduler.GetSynchronizationContext(0).Post(Again, state);
            }
        }

        try
        {
            scheduler.QueueOnNode(0, Hold, first);
            scheduler.QueueOnNode(0, Hold, second);
            entered.WaitFor();
            scheduler.QueueOnNode(
                0,
                _ =>
                {
                    isBlocked.Set();
                    block.WaitOne();
                },
                state: null);
            for (var i = 1; i < WorkBatch.LeastReady; i++)
            {
                scheduler.QueueOnNode(0, _ => Interlocked.Increment(ref behind), state: null);
            }

            // One worker takes half of the items. The other one is given an item that is always followed by another.
            first.Set();
            isBlocked.WaitFor();
            Assert.Equal(WorkBatch.LeastReady / 2, scheduler.Groups[0].Queue.Count);
            scheduler.QueueOnNode(0, Again, state: null);
            second.Set();

            Wait.Until(() => Volatile.Read(ref behind) == WorkBatch.LeastReady - 1);
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            first.Set();
            second.Set();
            block.Set();
        }
    }

    private static (long, long) Near(NumaTaskScheduler scheduler)
    {
        var steals = scheduler.Groups[0].GetSteals();
        return (steals.SameCache, steals.SameNode);
    }
}
