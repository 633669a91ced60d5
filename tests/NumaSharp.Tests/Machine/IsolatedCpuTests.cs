using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>CPUs apart from the scheduler's balancing: by boot parameters and by cpuset partitions.</summary>
public sealed class IsolatedCpuTests
{
    private const string Isolated = "sys/devices/system/cpu/isolated";
    private const string Cgroups = "sys/fs/cgroup";

    [Theory]
    [InlineData("quiet isolcpus=1-3,5 ro", "1-3,5")]
    [InlineData("isolcpus=nohz,domain,managed_irq,1-3", "1-3")]
    [InlineData("isolcpus=domain,2", "2")]
    [InlineData("isolcpus=nohz,1-3", "")]
    [InlineData("isolcpus=managed_irq,1-3", "")]
    [InlineData("isolcpus=\"1-3\"", "1-3")]
    [InlineData("isolcpus=0-7:1/2", "0,2,4,6")]
    [InlineData("isolcpus=1 isolcpus=2", "2")]
    [InlineData("isolcpus=1 -- isolcpus=2", "1")]
    [InlineData("xisolcpus=1 isolcpus_=2", "")]
    [InlineData("isolcpus=", "")]
    [InlineData("", "")]
    public void TryParseIsolatedCpus_CommandLine_GivesThoseOutsideOfDomains(string text, string expected)
    {
        Assert.True(KernelCommandLine.TryParseIsolatedCpus(text, out var cpus));
        Assert.Equal(expected, cpus!.ToString());
    }

    [Theory]
    [InlineData("isolcpus=3-1")]
    [InlineData("isolcpus=domain,x")]
    [InlineData("isolcpus=-1")]
    [InlineData("isolcpus=99999999999")]
    public void TryParseIsolatedCpus_NoList_IsRefused(string text) =>
        Assert.False(KernelCommandLine.TryParseIsolatedCpus(text, out _));

    [Theory]
    [InlineData("2-3\n", "2-3")]
    [InlineData("\n", "")]
    public void Read_KernelShowsThem_TheCommandLineDoesNotCount(string text, string expected)
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Write(Isolated, text).Write("proc/cmdline", "isolcpus=7\n").Read();
        Assert.Equal(expected, topology.IsolatedCpus.ToString());
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_OldKernel_TheCommandLineCounts()
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Write("proc/cmdline", "ro isolcpus=6-7,100\n").Read();
        Assert.Equal("6-7,100", topology.IsolatedCpus.ToString());
        Assert.Equal("0-7", topology.AllowedCpus.ToString());
    }

    [Theory]
    [InlineData(Isolated, "3-2\n")]
    [InlineData("proc/cmdline", "isolcpus=3-2\n")]
    public void Read_MalformedList_NoneIsIsolatedAndWarns(string file, string text)
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Write(file, text).Read();
        Assert.True(topology.IsolatedCpus.IsEmpty);
        Assert.StartsWith(tree.PathOf(file), Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_RootCgroupNamesPartitions_TheyAreIsolated()
    {
        using var tree = MachineTree.CgroupVersion2();
        var topology = tree.Write(Isolated, "1\n").Write($"{Cgroups}/cpuset.cpus.isolated", "6-7\n").Read();
        Assert.Equal("1,6-7", topology.IsolatedCpus.ToString());
    }

    [Theory]
    [InlineData("isolated\n", "2")]
    [InlineData("isolated invalid (Cpu list in cpuset.cpus not exclusive)\n", "")]
    [InlineData("root\n", "")]
    [InlineData("member\n", "")]
    public void Read_OwnPartition_IsIsolatedWhenItSaysSo(string partition, string expected)
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write($"{Cgroups}/user.slice/app.service/cpuset.cpus.partition", partition)
            .Write($"{Cgroups}/user.slice/app.service/cpuset.cpus.effective", "2\n");
        Assert.Equal(expected, tree.Read().IsolatedCpus.ToString());
    }

    [Fact]
    public void Read_MemberBelowAnIsolatedPartition_HasItsCpus()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write($"{Cgroups}/user.slice/app.service/cpuset.cpus.partition", "member\n")
            .Write($"{Cgroups}/user.slice/cpuset.cpus.partition", "isolated\n");
        Assert.Equal("0-2", tree.Read().IsolatedCpus.ToString());
    }

    [Fact]
    public void Read_RootPartitionBelowAnIsolatedOne_IsBalanced()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write($"{Cgroups}/user.slice/app.service/cpuset.cpus.partition", "root\n")
            .Write($"{Cgroups}/user.slice/cpuset.cpus.partition", "isolated\n");
        Assert.True(tree.Read().IsolatedCpus.IsEmpty);
    }

    [Fact]
    public void Read_ContainerWhoseMountIsThePartition_IsIsolated()
    {
        using var tree = MachineTree.CgroupVersion2();
        tree.Write("proc/self/cgroup", "0::/\n")
            .Write($"{Cgroups}/cpuset.cpus.partition", "isolated\n")
            .Write($"{Cgroups}/cpuset.cpus.effective", "4-5\n");
        var topology = tree.Read();
        Assert.Equal("4-5", topology.IsolatedCpus.ToString());
        Assert.Equal("4-5", topology.AllowedCpus.ToString());
    }

    [Fact]
    public void Read_Version1BesideVersion2_HasNoPartitions()
    {
        using var tree = MachineTree.CgroupVersion1();
        tree.Write(
                "proc/mounts",
                "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\ncgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n")
            .Write($"{Cgroups}/unified/session/cpuset.cpus.partition", "isolated\n")
            .Write($"{Cgroups}/unified/session/cpuset.cpus.effective", "3\n");
        var topology = tree.Read();
        Assert.True(topology.IsolatedCpus.IsEmpty);
        Assert.Equal("4-5", topology.AllowedCpus.ToString());
    }

    [Fact]
    public void Read_MalformedPartitionFiles_NoneIsIsolatedAndWarns()
    {
        using var tree = MachineTree.CgroupVersion2();
        var file = $"{Cgroups}/cpuset.cpus.isolated";
        var topology = tree.Write(file, "0-x\n").Read();
        Assert.True(topology.IsolatedCpus.IsEmpty);
        Assert.StartsWith(tree.PathOf(file), Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }
}
