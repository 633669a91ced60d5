using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

public sealed class NodeStatisticsTests
{
    private const string Numastat = "sys/devices/system/node/node1/numastat";
    private const string Meminfo = "sys/devices/system/node/node1/meminfo";
    private const string Counters = "numa_hit 1\nnuma_miss 2\nnuma_foreign 3\ninterleave_hit 4\nlocal_node 5\nother_node 6\n";

    private static NumaNodeStatistics? Read(MachineTree tree, int nodeId) =>
        new LinuxTopologyProvider(tree.Options).ReadStatistics(new(nodeId));

    [Fact]
    public void ReadStatistics_Node_HasMemoryAndCounters()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal(
            new NumaNodeStatistics
            {
                MemoryBytes = 1L << 30,
                MemoryFreeBytes = 1L << 29,
                Hit = 1,
                Miss = 2,
                Foreign = 3,
                InterleaveHit = 4,
                Local = 5,
                Other = 6,
            },
            Read(tree.Write(Numastat, Counters), 1));
    }

    [Fact]
    public void ReadStatistics_ReadAgain_IsFresh()
    {
        using var tree = MachineTree.TwoNodes();
        var provider = new LinuxTopologyProvider(tree.Write(Numastat, Counters).Options);
        Assert.Equal(1, provider.ReadStatistics(new(1))!.Hit);
        tree.Write(Numastat, Counters.Replace("numa_hit 1", "numa_hit 100", StringComparison.Ordinal));
        Assert.Equal(100, provider.ReadStatistics(new(1))!.Hit);
    }

    [Fact]
    public void ReadStatistics_KernelThatDoesNotCount_IsZero()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Equal(new NumaNodeStatistics { MemoryBytes = 1L << 30, MemoryFreeBytes = 1L << 29 }, Read(tree, 0));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(CpuSet.MaxId)]
    public void ReadStatistics_NoSuchNode_IsNull(int nodeId)
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Null(Read(tree, nodeId));
    }

    [Fact]
    public void ReadStatistics_KernelWithoutNuma_Node0IsTheMachine()
    {
        using var tree = MachineTree.WithoutNuma();
        Assert.Equal(new NumaNodeStatistics { MemoryBytes = 1L << 29, MemoryFreeBytes = 1L << 28 }, Read(tree, 0));
        Assert.Null(Read(tree, 1));
        Assert.Null(Read(tree.Delete("proc"), 0));
    }

    [Fact]
    public void ReadStatistics_NodeThatIsOffline_IsNullAlsoWhenItIsNode0()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Null(Read(tree.Delete("sys/devices/system/node/node0"), 0));
    }

    [Theory]
    [InlineData(Numastat, "")]
    [InlineData(Numastat, "numa_hit 1\n")]
    [InlineData(Numastat, "numa_hit -1\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node 0\n")]
    [InlineData(Numastat, "numa_hit 99999999999999999999\n")]
    [InlineData(Meminfo, "")]
    [InlineData(Meminfo, "Node 1 MemTotal: much\n")]
    public void ReadStatistics_MalformedFile_ThrowsAndNamesIt(string file, string text)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(Numastat, Counters).Write(file, text);
        Assert.Equal(tree.PathOf(file), Assert.Throws<NumaTopologyException>(() => Read(tree, 1)).Path);
    }

    [Fact]
    public void ReadStatistics_ThisMachine_AgreesWithTheTopology()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has /sys and /proc.");
        var provider = new LinuxTopologyProvider();
        Assert.All(provider.Read().Nodes, node =>
        {
            var statistics = provider.ReadStatistics(node.Id);
            Assert.Equal(node.MemoryBytes, statistics!.MemoryBytes);
            Assert.InRange(statistics.MemoryFreeBytes, 0, statistics.MemoryBytes);
        });
    }
}
