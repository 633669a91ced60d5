using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Scheduling.Tests;

/// <summary>A node with several last-level caches has a group of workers for each.</summary>
public sealed class CacheGroupTests
{
    private const int CpusPerCache = 4;

    // The CPU that code outside the workers runs on; -1: no node's.
    private int _callersCpu = -1;

    [Fact]
    public void Groups_OfTwoCaches_HaveTheWorkersOfEach()
    {
        using var scheduler = Start(MachineOf(caches: 2));
        Assert.Equal(["0-3", "4-7"], scheduler.Groups.Select(static group => group.Cache.ToString()));
        Assert.All(scheduler.Groups, static group => Assert.Equal(CpusPerCache, group.BaseCount));
        Assert.Equal(8, scheduler.MaximumConcurrencyLevel);
        Assert.Equal(8, scheduler.GetStatistics(0).Workers);
        Assert.All(scheduler.Groups, static group => Assert.False(group.HasCaches));
    }

    [Theory]
    [InlineData(NumaAffinityGranularity.Node, 8, 1)]
    [InlineData(NumaAffinityGranularity.Cache, 8, 2)]
    [InlineData(NumaAffinityGranularity.Core, 8, 2)]
    [InlineData(NumaAffinityGranularity.Cpu, 8, 2)]
    [InlineData(NumaAffinityGranularity.Auto, 3, 1)]
    [InlineData(NumaAffinityGranularity.Auto, 4, 2)]
    public void Groups_ByGranularityAndThreads_AreOneWhereAWorkerMayRoamOrWouldBeAlone(
        NumaAffinityGranularity granularity, int threads, int groups)
    {
        var request = new NumaPlanRequest { Granularity = granularity, ThreadsPerNode = threads };
        using var scheduler = Start(MachineOf(caches: 2), request);
        Assert.Equal(groups, scheduler.Groups.Count);
        Assert.Equal(threads, scheduler.Groups.Sum(static group => group.BaseCount));
    }

    [Fact]
    public void QueueOnNode_FromAWorker_StaysInItsCache()
    {
        using var scheduler = Start(MachineOf(caches: 2));
        foreach (var group in scheduler.Groups)
        {
            _callersCpu = group.Cache.First;
            var (first, second) = (new TaskCompletionSource<WorkerGroup>(), new TaskCompletionSource<WorkerGroup>());
            scheduler.WaitForIdle();
            scheduler.QueueOnNode(
                0,
                _ =>
                {
                    first.SetResult(Worker.Current!.Group);
                    scheduler.QueueOnNode(0, _ => second.SetResult(Worker.Current!.Group), state: null);
                },
                state: null);
            first.Task.WaitFor();
            second.Task.WaitFor();
            Assert.Same(group, first.Task.Result);
            Assert.Same(group, second.Task.Result);
        }

        Assert.All(scheduler.Groups, static group => Assert.Equal(0, group.GetSteals().SameNode));
    }

    [Theory]
    [InlineData(NumaSchedulingPolicy.LocalityFirst)]
    [InlineData(NumaSchedulingPolicy.NodeStrict)]
    public void QueueOnNode_TheCacheIsBusy_RunsInTheOther(NumaSchedulingPolicy policy)
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start(MachineOf(caches: 2), policy: policy);
        _callersCpu = 0;
        OccupyGroup(scheduler, scheduler.Groups[0], gate);
        var ran = new TaskCompletionSource<WorkerGroup>();
        scheduler.QueueOnNode(0, _ => ran.SetResult(Worker.Current!.Group), state: null);

        ran.Task.WaitFor();
        Assert.Same(scheduler.Groups[1], ran.Task.Result);
        Assert.Equal(1, scheduler.GetStolenAtDistance(0, Neighbour.LocalDistance));
        Assert.Equal(0, scheduler.GetStolen(0));
        gate.Set();
    }

    // Eight workers, at distance 20: four items must wait, in whichever groups, while no worker of either is free.
    [Fact]
    public void IsWorthStealing_ByAnotherNode_DependsOnAllGroupsOfTheNode()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start(
            MachineOf(caches: 2, nodes: 2),
            policy: NumaSchedulingPolicy.NodeStrict,
            change: static options => options.MonitorPauseMilliseconds = Timeout.Infinite);
        var (first, second) = (scheduler.Groups[0], scheduler.Groups[1]);
        var (far, near) = (new Neighbour(first, 20), new Neighbour(first, Neighbour.LocalDistance, isOfSameNode: true));
        scheduler.Occupy(0, gate);
        Queue(scheduler, first, 2);
        Queue(scheduler, second, 1);
        Assert.False(far.IsWorthStealing);
        Assert.True(near.IsWorthStealing);
        Queue(scheduler, second, 1);
        Assert.True(far.IsWorthStealing);

        second.BeginSearch();
        Assert.False(far.IsWorthStealing);
        Assert.True(near.IsWorthStealing);
        second.EndSearch();
        Assert.True(far.IsWorthStealing);
        gate.Set();
    }

    // What is queued meanwhile is left to a search in the other cache, which finds something else.
    [Fact]
    public void EndSearch_WorkOfTheOtherCacheWasLeftToIt_WakesAnotherNode()
    {
        const int Items = 4;
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start(
            MachineOf(caches: 2, nodes: 2), change: static options => options.MonitorPauseMilliseconds = Timeout.Infinite);
        scheduler.Occupy(0, gate);
        var before = StolenFromFirst();
        scheduler.Groups[1].BeginSearch();
        Queue(scheduler, scheduler.Groups[0], Items);
        Assert.Equal(CpusPerCache, scheduler.Groups[2].IdleCount);
        Assert.Equal(CpusPerCache, scheduler.Groups[3].IdleCount);

        // The first one: what is left is not enough.
        scheduler.Groups[1].EndSearch();
        Wait.Until(() => StolenFromFirst() == before + 1);
        gate.Set();

        long StolenFromFirst() => scheduler.GetStolenByNode(1)[scheduler.Plan.Nodes[0].NodeId];
    }

    [Fact]
    public void Steals_SeveralAtOnce_AreAllCounted()
    {
        const int Items = 4 * WorkBatch.Capacity;
        using var firstGate = new ManualResetEvent(false);
        using var secondGate = new ManualResetEvent(false);
        using var scheduler = Start(
            MachineOf(caches: 2), change: static options => options.MonitorPauseMilliseconds = Timeout.Infinite);
        OccupyGroup(scheduler, scheduler.Groups[0], firstGate);
        using (var entered = new CountdownEvent(CpusPerCache))
        {
            _callersCpu = CpusPerCache;
            for (var i = 0; i < CpusPerCache; i++)
            {
                scheduler.QueueOnNode(
                    0,
                    _ =>
                    {
                        entered.Signal();
                        secondGate.WaitOne();
                    },
                    state: null);
            }

            entered.WaitFor();
        }

        var before = scheduler.GetStolenAtDistance(0, Neighbour.LocalDistance);
        var stolen = scheduler.Groups[1].GetSteals().SameNode;
        Queue(scheduler, scheduler.Groups[0], Items);
        secondGate.Set();
        Wait.Until(() => scheduler.GetQueueLength(0) == 0 && scheduler.Groups[1].IdleCount == CpusPerCache);

        // Also those that its workers have then taken from each other.
        Assert.Equal(stolen + Items, scheduler.Groups[1].GetSteals().SameNode);
        Assert.InRange(scheduler.GetStolenAtDistance(0, Neighbour.LocalDistance), before + Items, long.MaxValue);
        firstGate.Set();
    }

    // The item waits in one cache, and the workers of the other one, whose queue is empty, are as busy.
    [Fact]
    public void QueueOnNode_AllCachesBusyWithoutWaiting_ASpareRunsIt()
    {
        using var scheduler = Start(
            MachineOf(caches: 2),
            new NumaPlanRequest { ThreadsPerNode = 4 },
            change: static options => options.CompensateBlocking = true);
        Assert.Equal(2, scheduler.Groups.Count);
        var isReleased = false;
        using var entered = new CountdownEvent(4);
        for (var i = 0; i < 4; i++)
        {
            scheduler.QueueOnNode(
                0,
                _ =>
                {
                    entered.Signal();
                    while (!Volatile.Read(ref isReleased))
                    {
                        Thread.SpinWait(100);
                    }
                },
                state: null);
        }

        entered.WaitFor();
        _callersCpu = 0;
        scheduler.QueueOnNode(0, _ => Volatile.Write(ref isReleased, true), state: null);
        Wait.Until(() => Volatile.Read(ref isReleased));
    }

    // What saturated producers look at: it must not stay after the last idle worker, whatever ended its idleness.
    [Fact]
    public void HasIdle_WorkersBecomeBusyAndIdleAgain_Follows()
    {
        using var scheduler = Start(
            MachineOf(caches: 2), change: static options => options.MonitorPauseMilliseconds = Timeout.Infinite);
        var home = scheduler.Groups[0].Home;
        for (var round = 0; round < 3; round++)
        {
            scheduler.WaitForIdle();
            Wait.Until(() => home.HasIdle);
            using var gate = new ManualResetEvent(false);
            scheduler.Occupy(0, gate);
            Assert.False(home.HasIdle);
            gate.Set();
            scheduler.WaitForIdle();

            // Withdraws those that sleep.
            scheduler.Apply(scheduler.Plan.Adapt(MachineOf(caches: 2, offline: round == 1 ? "6-7" : "")).Plan);
        }
    }

    // The other cache's workers never search: they have work of their own without end.
    [Fact]
    public void QueueOnNode_TheCacheIsStuckAndTheOtherBusy_RunsInTheOther()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start(MachineOf(caches: 2));
        OccupyGroup(scheduler, scheduler.Groups[0], gate);
        var isOver = false;
        void Repeat(object? state)
        {
            if (!Volatile.Read(ref isOver))
            {
                scheduler.QueueOnNode(0, Repeat, state);
            }
        }

        _callersCpu = CpusPerCache;
        for (var i = 0; i < 4 * CpusPerCache; i++)
        {
            scheduler.QueueOnNode(0, Repeat, state: null);
        }

        Wait.Until(() => scheduler.Groups[1].IsSaturated);
        _callersCpu = 0;
        var ran = new TaskCompletionSource<WorkerGroup>();
        scheduler.QueueOnNode(0, _ => ran.SetResult(Worker.Current!.Group), state: null);

        ran.Task.WaitFor();
        Assert.Same(scheduler.Groups[1], ran.Task.Result);
        Volatile.Write(ref isOver, true);
        gate.Set();
    }

    // A long task is the node's, whichever cache it was queued from: the kernel finds a CPU for it.
    [Fact]
    public async Task StartNew_LongRunning_MayUseAllCpusOfTheNode()
    {
        using var scheduler = Start(MachineOf(caches: 2, nodes: 2));
        _callersCpu = CpusPerCache;
        var affinity = (FakeAffinity)scheduler.Affinity;
        var cpus = await Task.Factory.StartNew(
            () => affinity.Pinned[Environment.CurrentManagedThreadId],
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            scheduler.ForNode(new(0))).Within();
        Assert.Equal("0-7", cpus.ToString());
    }

    [Fact]
    public void TryAddSpare_SeveralGroups_CountsThoseOfTheNode()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start(MachineOf(caches: 2, nodes: 2), policy: NumaSchedulingPolicy.NodeStrict);
        var (first, second, other) = (scheduler.Groups[0], scheduler.Groups[1], scheduler.Groups[2]);

        // More than there may be workers: a spare without work would leave after a second.
        for (var i = 0; i < WorkerGroup.MaxSpares + (4 * CpusPerCache); i++)
        {
            scheduler.QueueOnNode(0, _ => gate.WaitOne(), state: null);
        }

        for (var i = 0; i < WorkerGroup.MaxSpares; i++)
        {
            Assert.True((i % 2 == 0 ? first : second).TryAddSpare());
        }

        Assert.Equal(WorkerGroup.MaxSpares, scheduler.GetSpareCount(0));
        Assert.False(first.TryAddSpare());
        Assert.False(second.TryAddSpare());
        Assert.True(other.TryAddSpare());
        gate.Set();
    }

    // One node has one context, one pipe scheduler and one task scheduler, whichever group runs the work.
    [Fact]
    public async Task Context_InEachGroup_IsTheNodes()
    {
        using var scheduler = Start(MachineOf(caches: 2), context: true);
        foreach (var cpu in new List<int> { 0, CpusPerCache })
        {
            _callersCpu = cpu;
            scheduler.WaitForIdle();
            var (group, context, isInPlace) = await scheduler.RunOnNode(0, () =>
            {
                var task = new Task<int>(static () => Environment.CurrentManagedThreadId);
                task.RunSynchronously(scheduler.ForNode(new(0)));
                return (
                    Worker.Current!.Group,
                    SynchronizationContext.Current,
                    task.Result == Environment.CurrentManagedThreadId);
            }).Within();
            Assert.Same(scheduler.Groups[cpu / CpusPerCache], group);
            Assert.Same(scheduler.GetSynchronizationContext(0), context);
            Assert.True(isInPlace);
        }
    }

    [Fact]
    public void Apply_CachesLoseCpus_TheWorkersFollow()
    {
        using var scheduler = Start(MachineOf(caches: 2));
        var plan = scheduler.Plan.Adapt(MachineOf(caches: 2, offline: "5-7")).Plan;
        scheduler.Apply(plan);
        Assert.Equal([4, 1], scheduler.Groups.Select(static group => group.BaseCount));
        Assert.Equal(["0-3", "4"], scheduler.Groups.Select(static group => group.Placement.Cpus.ToString()));

        scheduler.Apply(plan.Adapt(MachineOf(caches: 2)).Plan);
        Assert.Equal([4, 4], scheduler.Groups.Select(static group => group.BaseCount));
        scheduler.WaitForIdle();
    }

    [Fact]
    public void Apply_ACacheIsGone_GetsNoWorkFromOutside()
    {
        using var scheduler = Start(MachineOf(caches: 3));
        scheduler.Apply(scheduler.Plan.Adapt(MachineOf(caches: 3, offline: "4-7")).Plan);
        Assert.Equal([4, 0, 4], scheduler.Groups.Select(static group => group.BaseCount));
        Assert.Equal(8, scheduler.MaximumConcurrencyLevel);
        var home = scheduler.Groups[0].Home;
        var chosen = Enumerable.Range(0, 100).Select(_ => home.GroupNear(-1)).Distinct();
        Assert.Equal([0, 2], chosen.Select(static group => group.Index).Order());
        scheduler.WaitForIdle();
    }

    // The node has lost its CPUs, and its workers run on another one's.
    [Fact]
    public void Follow_NoneOfTheCpus_TakesOtherCaches()
    {
        var topology = MachineOf(caches: 2, nodes: 2);
        var shares = CacheShare.Follow(topology, NumaPlan.Create(topology).Nodes[1], [CpuSet.Range(0, 4), CpuSet.Range(4, 4)]);
        Assert.Equal([4, 4], shares.Select(static share => share.Threads.Length));
        Assert.Equal(Enumerable.Range(0, 8), shares.SelectMany(static share => share.Threads).Order());
        Assert.Equal(["8-11", "12-15"], shares.Select(static share => share.Cpus.ToString()));
    }

    [Fact]
    public void Follow_NoneOfTheCpusAndOneOtherCache_AreTogether()
    {
        var machine = TestMachines.Row(8, 4);
        machine.LastLevelCaches.Add(CpuSet.Range(0, 4));
        machine.LastLevelCaches.Add(CpuSet.Range(4, 4));
        machine.LastLevelCaches.Add(CpuSet.Range(8, 4));
        var topology = machine.Read();
        var shares = CacheShare.Follow(topology, NumaPlan.Create(topology).Nodes[1], [CpuSet.Range(0, 4), CpuSet.Range(4, 4)]);
        Assert.Equal([4, 0], shares.Select(static share => share.Threads.Length));
        Assert.Equal(["8-11", ""], shares.Select(static share => share.Cpus.ToString()));
    }

    // A container that has been given other CPUs of the same node.
    [Fact]
    public void Apply_OtherCachesOfTheNode_TakeThePlaceOfTheFirst()
    {
        using var scheduler = Start(MachineOf(caches: 4, offline: "8-15"));
        Assert.Equal(2, scheduler.Groups.Count);
        scheduler.Apply(scheduler.Plan.Adapt(MachineOf(caches: 4, offline: "0-7")).Plan);
        Assert.Equal([4, 4], scheduler.Groups.Select(static group => group.BaseCount));
        Assert.Equal(["8-11", "12-15"], scheduler.Groups.Select(static group => group.Placement.Cpus.ToString()));
        var home = scheduler.Groups[0].Home;
        Assert.Equal((0, 1), (home.GroupNear(8).Index, home.GroupNear(12).Index));
        scheduler.WaitForIdle();
    }

    // One worker may run anywhere: it belongs to the smaller group.
    [Fact]
    public void Divide_AWorkerOfNoCache_BelongsToOneOfThem()
    {
        var machine = TestMachines.Row(9);
        machine.LastLevelCaches.Add(CpuSet.Range(0, 4));
        machine.LastLevelCaches.Add(CpuSet.Range(4, 4));
        machine.LastLevelCaches.Add(CpuSet.Range(8, 1));
        var topology = machine.Read();
        var shares = CacheShare.Divide(topology, NumaPlan.Create(topology).Nodes[0]);
        Assert.Equal([5, 4], shares.Select(static share => share.Threads.Length));
        Assert.Equal(["0-3", "4-7"], shares.Select(static share => share.Cpus.ToString()));
    }

    [Fact]
    public void Start_InStages_BeginsWithAWorkerInEachCacheAndEndsWithAll()
    {
        using var scheduler = Start(MachineOf(caches: 2), change: static options =>
        {
            options.MostWorkersAtStart = 1;
            options.StartsAllAfter = Timeout.InfiniteTimeSpan;
        });
        Assert.All(scheduler.Groups, static group => Assert.Equal(1, group.RunningCount));
        scheduler.Starter!.StartAll();
        Wait.Until(() => scheduler.Groups.All(static group => group.RunningCount == CpusPerCache));
    }

    [Fact]
    public void Follow_WorkersInANewCache_StayTogether()
    {
        var topology = MachineOf(caches: 3);
        var shares = CacheShare.Follow(
            topology, NumaPlan.Create(topology).Nodes[0], [CpuSet.Range(0, 4), CpuSet.Range(4, 4)]);
        Assert.Equal([8, 4], shares.Select(static share => share.Threads.Length));
        Assert.Equal(Enumerable.Range(0, 12), shares.SelectMany(static share => share.Threads).Order());
        Assert.Equal(["0-3,8-11", "4-7"], shares.Select(static share => share.Cpus.ToString()));
    }

    // CPUs of the caches were offline at the start.
    [Fact]
    public void Follow_CachesThatHaveGrown_HaveTheirCpus()
    {
        var topology = MachineOf(caches: 2);
        var plan = NumaPlan.Create(topology, new NumaPlanRequest { Granularity = NumaAffinityGranularity.Cpu }).Nodes[0];
        var shares = CacheShare.Follow(topology, plan, [CpuSet.Range(0, 2), CpuSet.Range(6, 2)]);
        Assert.Equal(["0-3", "4-7"], shares.Select(static share => share.Cpus.ToString()));
        Assert.All(shares, share =>
            Assert.All(share.Threads, thread => Assert.True(plan.ThreadCpus[thread].IsSubsetOf(share.Cpus))));
    }

    // Too few are left of each cache: the plan lets them roam, and the groups stay.
    [Fact]
    public void Apply_WorkersThatMayRoam_AreDividedByCpus()
    {
        using var scheduler = Start(MachineOf(caches: 2));
        scheduler.Apply(scheduler.Plan.Adapt(MachineOf(caches: 2, offline: "2-3,7")).Plan);
        Assert.Equal("0-1,4-6", scheduler.Plan.Nodes[0].ThreadCpus.Distinct().Single().ToString());
        Assert.Equal([2, 3], scheduler.Groups.Select(static group => group.BaseCount));
        scheduler.WaitForIdle();
    }

    // More than a search of the neighbours finds at once, from many threads, to the end.
    [Fact]
    public void Dispose_WorkInAllGroups_RunsAll()
    {
        const int Items = 20_000;
        var ran = 0;
        var fallbacks = new NumaFallbacks();
        using (var scheduler = Start(MachineOf(caches: 4, nodes: 2), fallbacks: fallbacks))
        {
            Parallel.For(0, Items, i => scheduler.QueueOnNode(i % 2, _ => Interlocked.Increment(ref ran), state: null));
        }

        // None was left to the thread pool.
        Assert.Equal(Items, ran);
        Assert.Empty(fallbacks.Current);
    }

    private static NumaTopology MachineOf(int caches, int nodes = 1, string offline = "")
    {
        var machine = TestMachines.Row([.. Enumerable.Repeat(caches * CpusPerCache, nodes)]);
        for (var cache = 0; cache < caches * nodes; cache++)
        {
            machine.LastLevelCaches.Add(CpuSet.Range(cache * CpusPerCache, CpusPerCache));
        }

        machine.OfflineCpus = CpuSet.ParseList(offline);
        return machine.Read();
    }

    private void Queue(NumaTaskScheduler scheduler, WorkerGroup group, int items)
    {
        _callersCpu = group.Cache.First;
        for (var i = 0; i < items; i++)
        {
            scheduler.QueueOnNode(group.Home.NodeIndex, static _ => { }, state: null);
        }
    }

    // Occupies the workers of a group with items that are queued from its cache.
    private void OccupyGroup(NumaTaskScheduler scheduler, WorkerGroup group, ManualResetEvent gate)
    {
        _callersCpu = group.Cache.First;
        for (var left = group.BaseCount; left > 0; left--)
        {
            Wait.Until(() => group.IdleCount == left && scheduler.Groups.Where(other => other != group)
                .All(static other => other.IdleCount == other.WorkerCount));
            using var entered = new ManualResetEvent(false);
            scheduler.QueueOnNode(
                0,
                _ =>
                {
                    entered.Set();
                    gate.WaitOne();
                },
                state: null);
            entered.WaitFor();
        }

        Wait.Until(() => group.IdleCount == 0 && scheduler.Groups.Where(other => other != group)
            .All(static other => other.IdleCount == other.WorkerCount));
    }

    private NumaTaskScheduler Start(
        NumaTopology topology,
        NumaPlanRequest? request = null,
        NumaSchedulingPolicy policy = NumaSchedulingPolicy.LocalityFirst,
        bool context = false,
        NumaFallbacks? fallbacks = null,
        Action<NumaTaskSchedulerOptions>? change = null)
    {
        var options = TestMachine.Options(NumaPlan.Create(topology, request ?? new NumaPlanRequest()), policy);
        options.Affinity = new FakeAffinity { OnCurrent = () => _callersCpu };
        options.CompensateBlocking = false;
        options.UseSynchronizationContext = context;
        options.Fallbacks = fallbacks;
        change?.Invoke(options);
        return new NumaTaskScheduler(options);
    }
}
