using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Huge pages, tiers and the figures of HMAT.</summary>
public sealed class NodeDetailTests
{
    private const string Node1 = "sys/devices/system/node/node1";
    private const long Mebibyte = 1 << 20;

    [Fact]
    public void Read_PoolsOfANode_AreListedBySize()
    {
        using var tree = MachineTree.TwoNodes();
        tree.HugePages($"{Node1}/hugepages", 1048576, total: 4, free: 1)
            .HugePages($"{Node1}/hugepages", 2048, total: 512, free: 512);
        var topology = tree.Read();

        Assert.Empty(topology.Nodes[0].HugePages);
        Assert.Equal(
            [new NumaHugePages(2 * Mebibyte, 512, 512), new NumaHugePages(1024 * Mebibyte, 4, 1)], topology.Nodes[1].HugePages);
    }

    [Fact]
    public void Read_KernelWithoutNuma_TheMachinesPoolsAreThoseOfNode0()
    {
        using var tree = MachineTree.WithoutNuma();
        tree.HugePages("sys/kernel/mm/hugepages", 2048, total: 8, free: 3);
        Assert.Equal([new NumaHugePages(2 * Mebibyte, 8, 3)], tree.Read().Nodes[0].HugePages);
    }

    [Fact]
    public void Read_NodesOnly_TheMachinesPoolsAreNotCountedAgain()
    {
        using var tree = MachineTree.TwoNodes();
        tree.HugePages("sys/kernel/mm/hugepages", 2048, total: 8, free: 3);
        Assert.All(tree.Read().Nodes, static node => Assert.Empty(node.HugePages));
    }

    [Theory]
    [InlineData("Node 1 HugePages_Total: 65\nNode 1 HugePages_Free: 60\n", 65, 60)]
    [InlineData("Node 1 HugePages_Total: 65\nNode 1 HugePages_Free: 600\n", 65, 65)]
    public void Read_OldKernelWithPoolsInMeminfo_HasTheDefaultSize(string lines, long total, long free)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/meminfo", "MemTotal: 2097152 kB\nHugepagesize:       2048 kB\n")
            .Write($"{Node1}/meminfo", $"Node 1 MemTotal: 1048576 kB\n{lines}");
        Assert.Equal([new NumaHugePages(2 * Mebibyte, total, free)], tree.Read().Nodes[1].HugePages);
    }

    [Theory]
    [InlineData("nr_hugepages", "-1\n", 1)]
    [InlineData("nr_hugepages", "99999999999999999999\n", 1)]
    [InlineData("free_hugepages", "", 1)]
    [InlineData("free_hugepages", "\0\u0001\u00ff", 1)]
    public void Read_MalformedPool_IsLeftOutAndWarns(string file, string text, int warnings)
    {
        using var tree = MachineTree.TwoNodes();
        tree.HugePages($"{Node1}/hugepages", 2048, 1, 1).HugePages($"{Node1}/hugepages", 64, 1, 1);
        var path = $"{Node1}/hugepages/hugepages-2048kB/{file}";
        var topology = tree.Write(path, text).Read();

        Assert.Equal(65536, Assert.Single(topology.Nodes[1].HugePages).PageBytes);
        Assert.Equal(warnings, topology.Warnings.Count);
        Assert.StartsWith(tree.PathOf(path), topology.Warnings[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("hugepages-kB")]
    [InlineData("hugepages--1kB")]
    [InlineData("hugepages-0kB")]
    [InlineData("hugepages-99999999999999999999kB")]
    [InlineData("hugepages-2048")]
    public void Read_FolderThatIsNoPool_IsPassedOver(string name)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write($"{Node1}/hugepages/{name}/nr_hugepages", "1\n").Write($"{Node1}/hugepages/{name}/free_hugepages", "1\n");
        Assert.Empty(tree.Read().Nodes[1].HugePages);
    }

    [Fact]
    public void Read_Tiers_BelongToTheirNodes()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1\n")
            .Write("sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "1-2\n")
            .Write("sys/devices/virtual/memory_tiering/uevent", "");
        var topology = tree.Read();
        Assert.Equal([4, 4, 22], topology.Nodes.Select(static node => node.MemoryTier));
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_MalformedTier_IsUnknownAndWarns()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "1-0\n");
        var topology = tree.Read();
        Assert.All(topology.Nodes, static node => Assert.Null(node.MemoryTier));
        Assert.Contains("memory_tier4/nodelist", Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_InterleaveWeights_BelongToTheirNodes()
    {
        using var tree = MachineTree.CpulessNode();
        Assert.All(tree.Read().Nodes, static node => Assert.Null(node.InterleaveWeight));
        Assert.False(tree.Read().HasAutomaticInterleaveWeights);

        var topology = tree.Write("sys/kernel/mm/mempolicy/weighted_interleave/node0", "3\n")
            .Write("sys/kernel/mm/mempolicy/weighted_interleave/node1", "255\n")
            .Write("sys/kernel/mm/mempolicy/weighted_interleave/node2", "256\n")
            .Write("sys/kernel/mm/mempolicy/weighted_interleave/auto", "true\n")
            .Read();
        Assert.Equal([3, 255, null], topology.Nodes.Select(static node => node.InterleaveWeight));
        Assert.True(topology.HasAutomaticInterleaveWeights);
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_Hmat_IsReadByAccessClass()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Access(2, accessClass: 0, [0, 1], 250, 260, 30_000, 28_000).Access(2, accessClass: 1, [1], 300, 0, 0, 20_000);
        var access = tree.Read().FindNode(new(2))!.Access;

        Assert.Equal(
            [
                new NumaMemoryAccess(0, CpuSet.ParseList("0-1"))
                {
                    ReadLatency = 250, WriteLatency = 260, ReadBandwidth = 30_000, WriteBandwidth = 28_000,
                },
                new NumaMemoryAccess(1, CpuSet.ParseList("1")) { ReadLatency = 300, WriteBandwidth = 20_000 },
            ],
            access);
    }

    [Theory]
    [InlineData("-5\n")]
    [InlineData("many\n")]
    [InlineData("99999999999\n")]
    public void Read_MalformedFigure_IsUnknownAndWarns(string text)
    {
        using var tree = MachineTree.TwoNodes();
        var file = $"{Node1}/access0/initiators/read_latency";
        var topology = tree.Access(1, accessClass: 0, [1], 100, 100, 1000, 1000).Write(file, text).Read();

        Assert.Equal(
            new NumaMemoryAccess(0, CpuSet.FromIds(1)) { WriteLatency = 100, ReadBandwidth = 1000, WriteBandwidth = 1000 },
            Assert.Single(topology.Nodes[1].Access));
        Assert.StartsWith(tree.PathOf(file), Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Equals_NodesReadTwice_AreEqualUntilADetailChanges()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Access(2, 0, [0], 1, 2, 3, 4).HugePages("sys/devices/system/node/node2/hugepages", 2048, 5, 5)
            .Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "2\n");
        var first = tree.Read().FindNode(new(2))!;
        Assert.Equal(first, tree.Read().FindNode(new(2)));
        Assert.Equal(first.GetHashCode(), tree.Read().FindNode(new(2))!.GetHashCode());

        tree.HugePages("sys/devices/system/node/node2/hugepages", 2048, 5, 4);
        Assert.NotEqual(first, tree.Read().FindNode(new(2)));
        tree.HugePages("sys/devices/system/node/node2/hugepages", 2048, 5, 5).Access(2, 0, [0], 1, 2, 3, 5);
        Assert.NotEqual(first, tree.Read().FindNode(new(2)));
        tree.Access(2, 0, [0], 1, 2, 3, 4).Delete("sys/devices/virtual");
        Assert.NotEqual(first, tree.Read().FindNode(new(2)));
    }
}
