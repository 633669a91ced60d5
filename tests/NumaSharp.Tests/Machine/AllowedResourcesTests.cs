using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>What of a machine a process may use: affinity, Mems_allowed and cpusets, from the tree's own files.</summary>
public sealed class AllowedResourcesTests
{
    private const string V1Mount = "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n";

    private static void AssertAllowed(MachineTree tree, string cpus, string mems, int warnings = 0)
    {
        var topology = tree.Read();
        Assert.Equal((cpus, mems), (topology.AllowedCpus.ToString(), topology.MemoryNodes.ToString()));
        Assert.Equal(warnings, topology.Warnings.Count);
    }

    [Fact]
    public void Read_NoProcTree_AllowsEverything()
    {
        using var tree = MachineTree.TwoNodes();
        AssertAllowed(tree.Delete("proc"), "0-7", "0-1");
    }

    [Fact]
    public void Read_StatusLists_Limit()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(
            MachineTree.Status,
            "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t1-4\nMems_allowed:\t3\nMems_allowed_list:\t0\n");
        AssertAllowed(tree, "1-4", "0");
    }

    [Fact]
    public void Read_StatusMasksOfOldKernels_Limit()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(MachineTree.Status, "Cpus_allowed:\t00000000,0000001e\nMems_allowed:\t00000000,00000001\n");
        AssertAllowed(tree, "1-4", "0");
    }

    [Fact]
    public void Read_NodeWithNothingAllowed_IsNotListed()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(MachineTree.Status, "Cpus_allowed_list:\t5-6\nMems_allowed_list:\t1\n");
        var topology = tree.Read();

        var node = Assert.Single(topology.Nodes);
        Assert.Equal(1, node.NodeId);
        Assert.Equal("5-6", node.Cpus.ToString());
        Assert.Equal("4-7", node.OnlineCpus.ToString());
    }

    [Fact]
    public void Read_CpusOfOneNodeAndMemoryOfAnother_ListsBoth()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(MachineTree.Status, "Cpus_allowed_list:\t0-3\nMems_allowed_list:\t1\n");
        var topology = tree.Read();

        Assert.Equal(2, topology.NodeCount);
        Assert.False(topology.Nodes[0].IsMemoryAllowed);
        Assert.True(topology.Nodes[1].Cpus.IsEmpty);
    }

    [Fact]
    public void Read_Version1Cpuset_Limits()
    {
        using var tree = MachineTree.CgroupVersion1();
        AssertAllowed(tree, "4-5", "1");
    }

    [Fact]
    public void Read_Version1AndAffinity_BothLimit()
    {
        using var tree = MachineTree.CgroupVersion1();
        AssertAllowed(tree.Write(MachineTree.Status, "Cpus_allowed_list:\t5-7\n"), "5", "1");
    }

    [Fact]
    public void Read_Version1WithoutPrefix_Limits()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", "none /dev/cpuset cgroup rw,relatime,cpuset,noprefix 0 0\n")
            .Write("proc/self/cpuset", "/batch/job\n")
            .Write("dev/cpuset/batch/job/cpus", "2,6\n")
            .Write("dev/cpuset/batch/job/mems", "0-1\n");
        AssertAllowed(tree, "2,6", "0-1");
    }

    [Fact]
    public void Read_CpusetFileSystemOfOldKernels_Limits()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", @"none /dev/old\040cpuset cpuset rw 0 0" + "\n")
            .Write("proc/self/cpuset", "/")
            .Write("dev/old cpuset/cpus", "0-1")
            .Write("dev/old cpuset/mems", "0");
        AssertAllowed(tree, "0-1", "0");
    }

    [Theory]
    [InlineData("cpuset", "0-5")]
    [InlineData("cpuset,cpuset_v2_mode", "4")]
    public void Read_Version1EffectiveCpus_RuleInVersion2ModeOnly(string options, string expected)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", $"cgroup /sys/fs/cgroup/cpuset cgroup rw,{options} 0 0\n")
            .Write("proc/self/cgroup", "3:cpuset:/\n")
            .Write("sys/fs/cgroup/cpuset/cpuset.cpus", "0-5\n")
            .Write("sys/fs/cgroup/cpuset/cpuset.effective_cpus", "4\n");
        AssertAllowed(tree, expected, "0-1");
    }

    [Fact]
    public void Read_ContainerSeesHostPathAndOwnMount_MountLimits()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", V1Mount)
            .Write("proc/self/cgroup", "3:cpuset:/docker/0123456789ab\n")
            .Write("sys/fs/cgroup/cpuset/cpuset.cpus", "6-7\n")
            .Write("sys/fs/cgroup/cpuset/cpuset.mems", "1\n");
        AssertAllowed(tree, "6-7", "1");
    }

    [Fact]
    public void Read_Version2WithoutFilesInTheLeaf_ParentLimits()
    {
        using var tree = MachineTree.CgroupVersion2();
        AssertAllowed(tree, "0-2", "0");
    }

    [Fact]
    public void Read_Version2WithFilesInTheLeaf_LeafLimits()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("sys/fs/cgroup/user.slice/app.service/cpuset.cpus.effective", "1\n");
        AssertAllowed(tree, "1", "0");
    }

    [Fact]
    public void Read_Version2BesideVersion1Cpuset_Version1Limits()
    {
        using var tree = MachineTree.CgroupVersion1();
        tree.Write("proc/mounts", "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n" + V1Mount)
            .Write("sys/fs/cgroup/unified/cpuset.cpus.effective", "0\n");
        AssertAllowed(tree, "4-5", "1");
    }

    [Fact]
    public void Read_MountTableBelowSelf_IsFound()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Delete("proc/mounts").Write("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
        AssertAllowed(tree, "0-2", "0");
    }

    [Fact]
    public void Read_CgroupOutsideOfTheNamespace_RootLimitsAndWarns()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("proc/self/cgroup", "0::/../../other.slice\n")
            .Write("sys/fs/cgroup/cpuset.cpus.effective", "0-6\n");
        AssertAllowed(tree, "0-6", "0-1", warnings: 1);
    }

    [Theory]
    [InlineData("Cpus_allowed_list:\t8-9\n", "0-7", "0-1")]
    [InlineData("Mems_allowed_list:\t5\n", "0-7", "0-1")]
    [InlineData("Cpus_allowed_list:\t\n", "0-7", "0-1")]
    public void Read_LimitThatLeavesNothing_IsIgnoredAndWarns(string status, string cpus, string mems)
    {
        using var tree = MachineTree.TwoNodes();
        AssertAllowed(tree.Write(MachineTree.Status, status), cpus, mems, warnings: 1);
    }

    [Fact]
    public void Read_DeviceMemoryOutsideOfTheCpuset_IsNotListed()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("proc/driver/nvidia/gpus/0/numa_status", "Node: 2\n").Write(MachineTree.Status, "Mems_allowed_list:\t0-1\n");

        Assert.Null(tree.Read().FindNode(new(2)));
    }

    [Fact]
    public void Read_CpusetOfDeviceMemoryOnly_IsIgnored()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("proc/driver/nvidia/gpus/0/numa_status", "Node: 2\n").Write(MachineTree.Status, "Mems_allowed_list:\t2\n");

        Assert.Equal("0-1", tree.Read().MemoryNodes.ToString());
    }
}
