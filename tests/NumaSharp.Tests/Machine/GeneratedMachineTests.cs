using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>Machines that were not captured but generated.</summary>
public sealed class GeneratedMachineTests
{
    private static NumaTopology AssertReads(MachineShape shape, bool leadersOnly = false)
    {
        using var tree = new MachineTree();
        var topology = shape.Write(tree, leadersOnly).Read();
        Assert.Equal(
            shape.ExpectedCores(), topology.Cores.Select(static core => $"{core.PackageId}/{core.CoreId}:{core.Cpus}"));
        Assert.Equal(shape.ExpectedCaches(), topology.LastLevelCaches.Select(static cache => cache.Cpus.ToString()));
        Assert.Equal(shape.ExpectedNodes(), topology.Nodes.Select(static node => $"{node.NodeId}:{node.Cpus}"));
        Assert.Empty(topology.Warnings);
        UsableTopology.Check(topology);
        return topology;
    }

    [Fact]
    public void Read_AnyRegularMachine_IsWhatItsFilesSay()
    {
        var shapes =
            from packages in Gen.Choose(1, 3)
            from nodes in Gen.Choose(1, 2)
            from caches in Gen.Choose(1, 2)
            from cores in Gen.Choose(1, 3)
            from threads in Gen.Choose(1, 3)
            from step in Gen.Choose(1, 9)
            let shape = MachineShape.Uniform(packages, nodes, caches, cores, threads, step)
            from offline in Gen.SubListOf(shape.Online.Skip(1).ToArray())
            select shape with { Offline = CpuSet.FromIds(offline) };
        Prop.ForAll(shapes.ToArbitrary(), static shape => { AssertReads(shape); })
            .Check(Config.QuickThrowOnFailure.WithMaxTest(15));
    }

    [Fact]
    public void Read_EightSockets_IsEightNodes() =>
        Assert.Equal(8, AssertReads(MachineShape.Uniform(8, 1, 1, coresPerCache: 4, threads: 2)).NodeCount);

    [Fact]
    public void Read_FourNodesPerSocketWithCoreComplexes_EachNodeHasSeveralCaches()
    {
        var topology = AssertReads(MachineShape.Uniform(2, nodesPerPackage: 4, cachesPerNode: 2, coresPerCache: 2, threads: 2));
        Assert.Equal(8, topology.NodeCount);
        Assert.All(topology.LastLevelCaches, cache =>
            Assert.True(cache.Cpus.IsSubsetOf(topology.Nodes[topology.IndexOfCpu(cache.Cpus.First)].Cpus)));
    }

    [Fact]
    public void Read_SubNumaClustering_TheCacheSpansNodes()
    {
        var shape = MachineShape.Uniform(2, nodesPerPackage: 2, cachesPerNode: 1, coresPerCache: 3, threads: 2);
        var topology = AssertReads(new MachineShape([.. shape.Cores.Select(static core => core with { Cache = core.Package })]));
        Assert.Equal(4, topology.NodeCount);
        Assert.Equal(2, topology.LastLevelCaches.Count);
    }

    // Most of its time goes into thousands of files.
    [Fact]
    [Trait("tier", "deep")]
    public void Read_MoreThan1024Cpus_AllAreThere()
    {
        var topology = AssertReads(
            MachineShape.Uniform(4, nodesPerPackage: 4, cachesPerNode: 2, coresPerCache: 18, threads: 2), leadersOnly: true);
        Assert.Equal(1152, topology.AllowedCpus.Count);
        Assert.Equal(1151, topology.FindCore(575)!.Cpus.Last);
    }

    [Fact]
    public void Read_OfflineSiblings_CoresAndCachesHaveTheOthers()
    {
        var shape = MachineShape.Uniform(2, 1, 1, coresPerCache: 4, threads: 2) with { Offline = CpuSet.ParseList("0,3,8-11") };
        var topology = AssertReads(shape);
        Assert.Null(topology.FindCore(0));
        Assert.Equal("1", topology.FindCore(1)!.Cpus.ToString());
    }

    [Fact]
    public void Read_NodeIdsWithGaps_AreKept() =>
        Assert.Equal([0, 8, 16], AssertReads(MachineShape.Uniform(3, 1, 1, 2, 1, nodeStep: 8)).Nodes.Select(n => n.NodeId));

    [Fact]
    public void Read_CxlExpanderAndCpuOnlyNode_HaveKindTierAndFigures()
    {
        using var tree = new MachineTree();
        tree.Write(MachineTree.CpuOnline, "0-5\n").Write(MachineTree.NodeOnline, "0-3\n")
            .Node(0, "3", "0-1", 1 << 20, "10 21 14 255").Node(1, "c", "2-3", 1 << 20, "21 10 24 255")
            .Node(2, "0", "", 4 << 20, "14 24 10 255").Node(3, "30", "4-5", 0, "31 21 255 10")
            .Access(0, 0, [0], 90, 90, 200_000, 150_000)
            .Access(2, 0, [0], 250, 270, 60_000, 50_000)
            .Access(2, 1, [0], 250, 270, 60_000, 50_000)
            .Write("sys/devices/virtual/memory_tiering/memory_tier4/nodelist", "0-1\n")
            .Write("sys/devices/virtual/memory_tiering/memory_tier22/nodelist", "2\n")
            .Write("sys/devices/system/cpu/isolated", "4-5\n");
        var topology = tree.Read();

        Assert.Equal(
            [NumaNodeKind.Normal, NumaNodeKind.Normal, NumaNodeKind.Memory, NumaNodeKind.Cpu],
            topology.Nodes.Select(static node => node.Kind));
        Assert.Equal([4, 4, 22, null], topology.Nodes.Select(static node => node.MemoryTier));
        Assert.Equal([1, 0, 2, 0], topology.Nodes.Select(static node => node.Access.Count));
        Assert.Equal(60_000, topology.FindNode(new(2))!.Access[1].ReadBandwidth);
        Assert.Equal([3, 1, 0, 2], topology.GetNodesByDistance(new(3)).Select(static node => node.NodeId));
        Assert.Equal("0-2", topology.MemoryNodes.ToString());
        Assert.Equal("4-5", topology.IsolatedCpus.ToString());
        Assert.Empty(topology.Warnings);
        UsableTopology.Check(topology);
    }
}
