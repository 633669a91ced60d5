using NumaSharp.Core;
using NumaSharp.GuestTests.Hosting;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.OneNode;

/// <summary>The guest without NUMA has two dies of two CPUs, each with a last-level cache of its own.</summary>
public sealed class CacheTests : OneNodeTests
{
    private const int Items = 500;
    private const int ConnectionsPerCpu = 4;

    private static readonly CpuSet[] s_caches = [CpuSet.Range(0, 2), CpuSet.Range(2, 2)];

    [Fact]
    public void Instance_TwoDies_HaveACacheEach() =>
        Assert.Equal(s_caches, NumaTopology.Instance.LastLevelCaches.Select(static cache => cache.Cpus));

    // They are too small to be worth it by themselves.
    [Fact]
    public void Create_Defaults_LeaveThreadsTheNode() => Assert.All(
        NumaPlan.Create(NumaTopology.Instance).Nodes[0].ThreadCpus, static cpus => Assert.Equal("0-3", cpus.ToString()));

    // A caller in each cache that waits for each of its items: one of the cache's two workers is free. Unless one loses its CPU
    // after it has ended an item, and the other one, too: then another cache may take the next item, rarely.
    [Fact]
    public async Task RunOnNode_SteadyAndBalanced_NothingLeavesItsCache()
    {
        using var scheduler = Start();

        // A worker that has not started yet leaves its work to others.
        await IdleThreads.WaitForAsync("numa");
        var wrong = await Task.WhenAll(s_caches.Select(cache => Task.Factory.StartNew(
            () => TestThreads.RunOn(CpuSet.FromIds(cache.First), () => CountElsewhere(scheduler, cache)),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
        Assert.InRange(wrong.Sum(), 0, Items / 50);
    }

    // More than one cache's workers can run, and all of the machine's do.
    [Fact]
    public void QueueOnNode_OneCacheGetsAll_TheOthersHelp()
    {
        using var gate = new ManualResetEvent(false);
        using var scheduler = Start();
        using var entered = new CountdownEvent(TheMachine.AllCpus.Count);
        TestThreads.RunOn(CpuSet.FromIds(0), () =>
        {
            for (var i = 0; i < entered.InitialCount; i++)
            {
                scheduler.QueueOnNode(
                    0,
                    _ =>
                    {
                        entered.Signal();
                        gate.WaitOne();
                    },
                    state: null);
            }
        });
        entered.WaitFor();
        gate.Set();
    }

    // Each CPU of the clients has as many connections.
    [Fact]
    public async Task Connections_SteadyAndBalanced_StayInTheirCache()
    {
        await using var server = await SeeingServer.StartAsync("Adaptive", granularity: "Cache");
        foreach (var cpu in Enumerable.Repeat(TheMachine.AllCpus, ConnectionsPerCpu).SelectMany(static cpus => cpus))
        {
            var cache = s_caches.Single(cache => cache.Contains(cpu));
            await server.ExchangeAsync(10_000, CpuSet.FromIds(cpu));
            var seen = server.Seen.Last();
            Assert.True(CpuSet.FromIds(seen.ThreadCpus).IsSubsetOf(cache), $"From CPU {cpu}: {seen}");
        }
    }

    private static NumaTaskScheduler Start() => new(new NumaTaskSchedulerOptions
    {
        Plan = NumaPlan.Create(
            NumaTopology.Instance, new NumaPlanRequest { Granularity = NumaAffinityGranularity.Cache }),
        CompensateBlocking = false,
    });

    private static int CountElsewhere(NumaTaskScheduler scheduler, CpuSet cache)
    {
        var count = 0;
        for (var i = 0; i < Items; i++)
        {
            var cpu = scheduler.RunOnNode(0, static () =>
            {
                NumaPlatform.Default.Affinity.GetCurrent(out var cpu, out _).ThrowIfFailed("getcpu");
                return cpu;
            }).GetAwaiter().GetResult();
            count += cache.Contains(cpu) ? 0 : 1;
        }

        return count;
    }
}
