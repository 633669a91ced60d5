using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.GuestTests.Surroundings;

/// <summary>CPUs that leave the running machine and come back.</summary>
public sealed class HotUnplugTests : ThreeNodeTests
{
    private readonly LinuxTopologyProvider _provider = new();

    [Fact]
    public void Read_CpuUnplugged_FollowsAndComesBack()
    {
        using (new OfflineCpu(3))
        {
            var without = _provider.Read();
            Assert.Equal(("0-2", "2"), (without.AllowedCpus.ToString(), without.FindNode(new(1))!.Cpus.ToString()));
            Assert.Equal((-1, NumaNodeKind.Normal), (without.IndexOfCpu(3), without.FindNode(new(1))!.Kind));
            Assert.Empty(without.Warnings);
            Assert.Equal([2, 1, 0], NumaPlan.Create(without).Nodes.Select(static node => node.Threads));
        }

        Assert.Equal(TheMachine.AllCpus, _provider.Read().AllowedCpus);
    }

    [Fact]
    public void Read_NodeLosesAllItsCpus_KeepsItsMemoryAndIsServedByTheNearest()
    {
        using var one = new OfflineCpu(2);
        using var other = new OfflineCpu(3);
        var machine = _provider.Read();
        Assert.Equal((NumaNodeKind.Memory, true), (machine.FindNode(new(1))!.Kind, machine.FindNode(new(1))!.IsMemoryAllowed));
        var plan = NumaPlan.Create(machine);
        var node = plan.FindNode(new(1))!;
        Assert.Equal((0, 1, 0), (node.ServingIndex, node.MemoryNodeId.Value, node.Threads));

        using var pools = new NumaMemoryPools(plan);
        using var block = pools.ForNode(new(1)).RentBlock();
        block.GetSpan().Fill(1);
        unsafe
        {
            Pages.AssertOn(1, (nint)block.Pointer, block.Length);
        }
    }

    [Fact]
    public void Pin_CpuUnplugged_IsRefused()
    {
        using var offline = new OfflineCpu(3);
        var fallbacks = new NumaFallbacks();
        TestThreads.RunOn(TheMachine.AllCpus, () =>
        {
            using var pinned = ThreadAffinity.Pin(NumaPlatform.Default.Affinity, CpuSet.FromIds(3), fallbacks);
            Assert.Equal((false, "EINVAL"), (pinned.IsPinned, pinned.Result.ErrorName));
        });
    }

    [Fact]
    public async Task RunOnNode_CpusUnpluggedWhileItRuns_NothingIsLost()
    {
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions
        {
            Plan = NumaPlan.Create(NumaTopology.Instance),
            Policy = NumaSchedulingPolicy.NodeStrict,
        });
        var done = 0;
        for (var round = 0; round < 3; round++)
        {
            await RunSomeAsync();
            using var one = new OfflineCpu(3);
            await RunSomeAsync();
            using var other = new OfflineCpu(2);
            await RunSomeAsync();
        }

        Assert.Equal(3 * 3 * 50, done);

        Task RunSomeAsync() => Task.WhenAll(Enumerable.Range(0, 50)
            .Select(_ => scheduler.RunOnNode(1, () => Interlocked.Increment(ref done))));
    }
}
