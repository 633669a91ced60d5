using NumaSharp.Core;
using NumaSharp.Tool.Tune;

namespace NumaSharp.Tool.Tests.Tune;

public sealed class QueuePlacementTests(RealMachines machines)
{
    public static TheoryData<string> Machines { get; } = [.. RealMachines.Names];

    [Fact]
    public void Queues_AsManyAsCpus_AreOnePerCpuNearestNodeFirst()
    {
        var plan = TestMachines.Row(2, 2).Plan();
        var placement = new QueuePlacement(plan, new NumaNodeId(1), 4);
        Assert.Equal([2, 3, 0, 1], Enumerable.Range(0, 4).Select(placement.CpuOf));
        Assert.Equal([1, 1, 0, 0], Enumerable.Range(0, 4).Select(queue => placement.NodeOf(queue).Value));
        Assert.Equal(["2", "3", "0", "1"], placement.CpusByQueue().Select(static cpus => cpus.ToString()));
        Assert.Empty(placement.Without);
    }

    [Fact]
    public void Queues_FewerThanNodes_AreOfTheNearestAndServeTheOthersToo()
    {
        var plan = TestMachines.Row(2, 2, 2).Plan();
        var placement = new QueuePlacement(plan, new NumaNodeId(2), 1);
        Assert.Equal(2, placement.NodeOf(0).Value);
        Assert.Equal([1, 0], placement.Without.Select(static node => node.Value));
        Assert.Equal("0-5", Assert.Single(placement.CpusByQueue()).ToString());
    }

    [Fact]
    public void Queues_OfLoopsOnOneNode_AreAllThere()
    {
        var plan = TestMachines.Row(2, 2).Plan(new NumaPlanRequest { Nodes = CpuSet.FromIds(1) });
        var placement = new QueuePlacement(plan, new NumaNodeId(0), 4);
        Assert.Equal([2, 3, 2, 3], Enumerable.Range(0, 4).Select(placement.CpuOf));

        // Node 0 runs no loop, but something there may send.
        Assert.Equal("0-3", placement.CpusByQueue().Aggregate(static (all, cpus) => all.Union(cpus)).ToString());
    }

    [Theory]
    [InlineData(8, new[] { 1, 1 }, new[] { 4, 4 })]
    [InlineData(3, new[] { 4, 4 }, new[] { 2, 1 })]
    [InlineData(1, new[] { 1, 9 }, new[] { 1, 0 })]
    [InlineData(10, new[] { 1, 9 }, new[] { 1, 9 })]
    [InlineData(3, new[] { 1, 1, 100 }, new[] { 1, 1, 1 })]
    [InlineData(7, new[] { 1, 1, 100 }, new[] { 1, 1, 5 })]
    [InlineData(2, new[] { 1, 1, 1 }, new[] { 1, 1, 0 })]
    public void Divide_ByWeight_LeavesNoneOver(int count, int[] weights, int[] shares) =>
        Assert.Equal(shares, QueuePlacement.Divide(count, weights));

    [Fact]
    public void Queues_OfASecondInterface_BeginAtTheNextCpus()
    {
        var plan = TestMachines.Row(4, 4).Plan();
        var taken = new Dictionary<NumaNodeId, int> { [new(1)] = 2, [new(0)] = 3 };
        var placement = new QueuePlacement(plan, new NumaNodeId(1), 4, taken);
        Assert.Equal([6, 7, 3, 0], Enumerable.Range(0, 4).Select(placement.CpuOf));
    }

    [Theory]
    [MemberData(nameof(Machines))]
    public void Queues_OfARealMachine_AreOnTheNodesOfTheLoopsAndServeEachCpu(string machine)
    {
        var topology = machines.Read(machine);
        var plan = NumaPlan.Create(topology);
        foreach (var queues in new List<int> { 1, 2, 5, 16, 64 })
        {
            AssertServes(plan, new QueuePlacement(plan, topology.Nodes[^1].Id, queues), queues);
        }
    }

    private static void AssertServes(NumaPlan plan, QueuePlacement placement, int queues)
    {
        var cpus = placement.CpusByQueue();
        Assert.Equal(queues, cpus.Count);
        var without = placement.Without.Select(static node => node.Value).ToHashSet();
        for (var queue = 0; queue < queues; queue++)
        {
            var node = plan.Nodes.Single(node => node.NodeId == placement.NodeOf(queue));
            Assert.Contains(node.LoopCpus, loop => loop.Contains(placement.CpuOf(queue)));
            Assert.True(cpus[queue].Contains(placement.CpuOf(queue)));

            // CPUs of a node that has queues never send with those of another.
            foreach (var other in plan.Nodes.Where(other => other.Loops > 0 && other.NodeId != node.NodeId))
            {
                Assert.True(without.Contains(other.NodeId.Value) || !cpus[queue].Overlaps(other.Cpus));
            }
        }

        var online = plan.Topology.Nodes.Aggregate(CpuSet.Empty, static (all, node) => all.Union(node.OnlineCpus));
        Assert.Equal(online, cpus.Aggregate(static (all, set) => all.Union(set)));
    }
}
