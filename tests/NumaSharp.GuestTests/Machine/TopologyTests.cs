using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Topology;

/// <summary>The machine that the kernel shows, against QEMU's command line.</summary>
public sealed class TopologyTests : ThreeNodeTests
{
    private static NumaTopology Machine => NumaTopology.Instance;

    [Fact]
    public void Instance_OfThisMachine_HasNoWarnings() => Assert.Empty(Machine.Warnings);

    [Fact]
    public void Nodes_OfThisMachine_AreThoseOfTheCommandLine()
    {
        Assert.Equal(TheMachine.Nodes, Machine.Nodes.Select(static node => node.NodeId));
        Assert.All(Machine.Nodes, static node => Assert.Equal(TheMachine.CpusOf(node.NodeId), node.Cpus));
        Assert.All(Machine.Nodes, static node => Assert.Equal(node.Cpus, node.OnlineCpus));
        Assert.Equal(
            [NumaNodeKind.Normal, NumaNodeKind.Normal, NumaNodeKind.Memory], Machine.Nodes.Select(static node => node.Kind));
    }

    [Fact]
    public void Nodes_Memory_IsThatOfTheCommandLineLessWhatTheKernelKeeps() => Assert.All(Machine.Nodes, static node =>
    {
        var given = TheMachine.MemoryOf(node.NodeId);
        Assert.InRange(node.MemoryBytes, given * 9 / 10, given);
        Assert.InRange(node.MemoryFreeBytes, 1, node.MemoryBytes);
        Assert.True(node.IsMemoryAllowed);
    });

    [Fact]
    public void Allowed_WithoutLimits_IsEverything()
    {
        Assert.Equal(TheMachine.AllCpus, Machine.AllowedCpus);
        Assert.Equal(CpuSet.FromIds(TheMachine.Nodes), Machine.MemoryNodes);
    }

    [Fact]
    public void Distance_OfEveryPair_IsThatOfTheCommandLine() => Assert.Equal(
        TheMachine.Distances,
        TheMachine.Nodes.Select(static from => TheMachine.Nodes.Select(to => Machine.GetDistance(new(from), new(to))).ToArray()));

    [Theory]
    [InlineData(0, "0,1,2")]
    [InlineData(1, "1,0,2")]
    [InlineData(2, "2,0,1")]
    public void NodesByDistance_OfEachNode_IsByDistanceThenId(int node, string expected) =>
        Assert.Equal(expected, string.Join(',', Machine.GetNodesByDistance(new(node)).Select(static near => near.NodeId)));

    [Fact]
    public void IndexOfCpu_OfEveryCpu_IsWhereTheThreadRuns() => Assert.All(TheMachine.AllCpus, static cpu =>
    {
        var node = TestThreads.RunOn(CpuSet.FromIds(cpu), static () =>
        {
            NumaPlatform.Default.Affinity.GetCurrent(out _, out var current).ThrowIfFailed("getcpu");
            return current;
        });
        Assert.Equal((TheMachine.NodeOfCpu(cpu), TheMachine.NodeOfCpu(cpu)), (Machine.IndexOfCpu(cpu), node.Value));
    });

    [Fact]
    public void Plan_OfTheDefaultRequest_GivesTheNodeWithoutCpusToItsNearest()
    {
        var plan = NumaPlan.Create(Machine);
        Assert.Equal(["0-1", "2-3", "0-1"], plan.Nodes.Select(static node => node.Cpus.ToString()));
        Assert.Equal([0, 1, 0], plan.Nodes.Select(static node => node.ServingIndex));
        Assert.Equal([2, 2, 0], plan.Nodes.Select(static node => node.Threads));
        Assert.Equal([2, 2, 0], plan.Nodes.Select(static node => node.Loops));
        Assert.Equal(TheMachine.Nodes, plan.Nodes.Select(static node => node.MemoryNodeId.Value));
    }
}
