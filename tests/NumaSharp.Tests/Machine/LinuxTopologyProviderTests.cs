using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>What a machine has.</summary>
public sealed class LinuxTopologyProviderTests
{
    private const long Gibibyte = 1L << 30;

    [Fact]
    public void Read_TwoNodes_HasCpusMemoryAndDistances()
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Read();

        Assert.Equal("Linux", topology.Source);
        Assert.Equal([0, 1], topology.Nodes.Select(static node => node.NodeId));
        Assert.Equal("0-3", topology.Nodes[0].Cpus.ToString());
        Assert.Equal([4, 5, 6, 7], topology.Nodes[1].CpuIds);
        Assert.All(topology.Nodes, static node =>
        {
            Assert.Equal(NumaNodeKind.Normal, node.Kind);
            Assert.Equal(Gibibyte, node.MemoryBytes);
            Assert.Equal(Gibibyte / 2, node.MemoryFreeBytes);
            Assert.Equal(node.Cpus, node.OnlineCpus);
        });
        Assert.Equal(21, topology.GetDistance(new(0), new(1)));
        Assert.Equal("0-1", topology.MemoryNodes.ToString());
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_NodeWithoutCpus_IsMemoryNode()
    {
        using var tree = MachineTree.CpulessNode();
        var topology = tree.Read();

        var node = topology.FindNode(new(2))!;
        Assert.Equal(NumaNodeKind.Memory, node.Kind);
        Assert.True(node.Cpus.IsEmpty);
        Assert.Equal("0-2", topology.MemoryNodes.ToString());
        Assert.Equal([2, 1, 0], topology.GetNodesByDistance(new(2)).Select(static near => near.NodeId));
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_NodeWithoutMemory_IsCpuNode()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Node(1, "f0", "4-7", 0, "21 10");
        var topology = tree.Read();

        Assert.Equal(NumaNodeKind.Cpu, topology.Nodes[1].Kind);
        Assert.False(topology.Nodes[1].IsMemoryAllowed);
        Assert.Equal("0", topology.MemoryNodes.ToString());
        Assert.Equal("0-7", topology.AllowedCpus.ToString());
    }

    [Fact]
    public void Read_CpulistNamesOfflineCpus_CpumapWins()
    {
        using var tree = MachineTree.OfflineCpus();
        var topology = tree.Read();

        Assert.Equal("0-1", topology.Nodes[0].Cpus.ToString());
        Assert.Equal("4-5", topology.Nodes[1].Cpus.ToString());
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_CpulistOnly_OfflineCpusAreLeftOut()
    {
        using var tree = MachineTree.OfflineCpus();
        tree.Delete("sys/devices/system/node/node0/cpumap").Delete("sys/devices/system/node/node1/cpumap");

        Assert.Equal("0-1,4-5", tree.Read().AllowedCpus.ToString());
    }

    [Fact]
    public void Read_KernelWithoutNuma_IsOneNode()
    {
        using var tree = MachineTree.WithoutNuma();
        var topology = tree.Read();

        var node = Assert.Single(topology.Nodes);
        Assert.Equal(0, node.NodeId);
        Assert.Equal(NumaNodeKind.Normal, node.Kind);
        Assert.Equal("0-1", node.Cpus.ToString());
        Assert.Equal(Gibibyte / 2, node.MemoryBytes);
        Assert.Equal(Gibibyte / 4, node.MemoryFreeBytes);
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_SparseIds_DistancesBelongToTheRightNodes()
    {
        using var tree = MachineTree.SparseIds();
        var topology = tree.Read();

        Assert.Equal([1, 4, 33], topology.Nodes.Select(static node => node.NodeId));
        Assert.Equal(22, topology.GetDistance(new(1), new(33)));
        Assert.Equal(16, topology.GetDistance(new(4), new(33)));
        Assert.Equal(2, topology.IndexOfCpu(5));
    }

    [Fact]
    public void Read_FirmwareWithAllCpusOnEveryNode_IsOneNode()
    {
        using var tree = MachineTree.AllCpusEverywhere();
        var topology = tree.Read();

        var node = Assert.Single(topology.Nodes);
        Assert.Equal("0-3", node.Cpus.ToString());
        Assert.Equal("0", topology.MemoryNodes.ToString());
        Assert.Contains(topology.Warnings, static warning => warning.Contains("node1/cpumap", StringComparison.Ordinal));
    }

    [Fact]
    public void Read_GpuMemoryNode_IsDeviceAndNoMemoryNode()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("proc/driver/nvidia/gpus/0004:05:00.0/numa_status", "Node:      2\nStatus:    online\n")
            .Write("proc/driver/nvidia/gpus/0004:06:00.0/numa_status", "Node:      -1\nStatus:    disabled\n");
        var topology = tree.Read();

        Assert.Equal(NumaNodeKind.Device, topology.FindNode(new(2))!.Kind);
        Assert.Equal("0-1", topology.MemoryNodes.ToString());
    }

    [Fact]
    public void Read_DriverClaimsNodeWithCpus_NodeStaysOrdinary()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/driver/nvidia/gpus/0/numa_status", "Node: 0\n");

        Assert.Equal("0-1", tree.Read().MemoryNodes.ToString());
    }

    [Fact]
    public void Read_OnlineCpuOfOfflineNode_GetsItsNodeWithoutMemory()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete("sys/devices/system/node/node0").Write(MachineTree.NodeOnline, "1\n")
            .Write("sys/devices/system/node/possible", "0-1\n");
        foreach (var cpu in new[] { "cpu0", "cpu1", "cpu2", "cpu3" })
        {
            tree.Link($"sys/devices/system/cpu/{cpu}/node0", "../../node/node0");
        }

        var topology = tree.Read();

        Assert.Equal("0-7", topology.AllowedCpus.ToString());
        Assert.Equal(NumaNodeKind.Cpu, topology.FindNode(new(0))!.Kind);
        Assert.Equal("0-3", topology.FindNode(new(0))!.Cpus.ToString());
        Assert.Equal(21, topology.GetDistance(new(0), new(1)));
        Assert.Equal("1", topology.MemoryNodes.ToString());
        Assert.Contains(topology.Warnings, static warning => warning.Contains("0-3", StringComparison.Ordinal));
    }

    [Fact]
    public void Read_OnlineCpuOfNoNode_GoesToTheFirst()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(MachineTree.CpuOnline, "0-8\n");
        var topology = tree.Read();

        Assert.Equal("0-3,8", topology.Nodes[0].Cpus.ToString());
        Assert.Single(topology.Warnings);
    }

    [Theory]
    [InlineData(null, "0-7")]
    [InlineData("0\n", "0-5,7")]
    public void Read_KernelWithoutOnlineList_CountsDirectories(string? stateOfCpu6, string expected)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete(MachineTree.CpuOnline);
        for (var cpu = 0; cpu < 8; cpu++)
        {
            tree.Write($"sys/devices/system/cpu/cpu{cpu}/topology/core_id", "0\n");
        }

        if (stateOfCpu6 is not null)
        {
            tree.Write("sys/devices/system/cpu/cpu6/online", stateOfCpu6);
        }

        var topology = tree.Read();

        Assert.Equal(expected, topology.AllowedCpus.ToString());
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_KernelWithoutNodeList_CountsDirectories()
    {
        using var tree = MachineTree.SparseIds();
        tree.Delete(MachineTree.NodeOnline).Write("sys/devices/system/node/node_of_no_number/cpumap", "1\n");
        var topology = tree.Read();

        Assert.Equal([1, 4, 33], topology.Nodes.Select(static node => node.NodeId));
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_CpumapOnly_IsEnough()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete("sys/devices/system/node/node0/cpulist").Delete("sys/devices/system/node/node1/cpulist")
            .Delete("sys/devices/system/node/node0/distance").Delete("sys/devices/system/node/node1/distance");
        var topology = tree.Read();

        Assert.Equal("4-7", topology.Nodes[1].Cpus.ToString());
        Assert.Equal(20, topology.GetDistance(new(0), new(1)));
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Constructor_EmptyRoot_Throws()
    {
        Assert.Throws<ArgumentException>(static () => new LinuxTopologyProvider(new LinuxTopologyOptions { SysfsRoot = "" }));
        Assert.Throws<ArgumentException>(static () => new LinuxTopologyProvider(new LinuxTopologyOptions { ProcRoot = " " }));
    }
}
