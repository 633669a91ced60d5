namespace NumaSharp.Tests.Core.Topology;

/// <summary>How much memory a cgroup leaves the process.</summary>
public sealed class MemoryLimitTests
{
    private const string V1Mounts =
        "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n";

    [Fact]
    public void Read_NoCgroup_HasNoLimit()
    {
        using var tree = MachineTree.TwoNodes();
        AssertLimit(tree, 0);
    }

    [Theory]
    [InlineData("max", "max", "max", 0)]
    [InlineData("max", "max", "1000", 1000)]
    [InlineData("5000", "3000", "max", 3000)]
    [InlineData("5000", "max", "4000", 4000)]
    public void Read_Version2_TheSmallestOfAllAncestorsHolds(string root, string slice, string service, long expected)
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("sys/fs/cgroup/memory.max", root + "\n")
            .Write("sys/fs/cgroup/user.slice/memory.max", slice + "\n")
            .Write("sys/fs/cgroup/user.slice/app.service/memory.max", service + "\n");
        AssertLimit(tree, expected);
    }

    [Theory]
    [InlineData("9223372036854771712", 0)]
    [InlineData("9223372036854710272", 0)]
    [InlineData("167772160", 167772160)]
    public void Read_Version1_TheMostPagesAreNoLimit(string limit, long expected)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", V1Mounts)
            .Write("proc/self/cgroup", "4:memory:/job\n3:cpuset:/\n")
            .Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
            .Write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", limit + "\n");
        AssertLimit(tree, expected);
    }

    [Fact]
    public void Read_ContainerSeesHostPathAndOwnMount_MountLimits()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", V1Mounts)
            .Write("proc/self/cgroup", "4:memory:/docker/0123456789ab\n")
            .Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500\n");
        AssertLimit(tree, 500);
    }

    [Fact]
    public void Read_Version2BesideVersion1Memory_Version1Limits()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write("proc/mounts", "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n" + V1Mounts)
            .Write("proc/self/cgroup", "4:memory:/\n0::/\n")
            .Write("sys/fs/cgroup/unified/memory.max", "100\n")
            .Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "200\n");
        AssertLimit(tree, 200);
    }

    [Theory]
    [InlineData("")]
    [InlineData("-1")]
    [InlineData("lots")]
    [InlineData("99999999999999999999")]
    public void Read_NotANumber_IsIgnoredAndWarns(string text)
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("sys/fs/cgroup/user.slice/memory.max", text);
        var topology = tree.Read();
        Assert.Equal(0, topology.MemoryLimitBytes);
        Assert.Contains("user.slice/memory.max", Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    private static void AssertLimit(MachineTree tree, long expected)
    {
        var topology = tree.Read();
        Assert.Equal(expected, topology.MemoryLimitBytes);
        Assert.Empty(topology.Warnings);
    }
}
