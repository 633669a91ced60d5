using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>What a poll reads, in files of a test; the main thread's mask is that of the process that runs it.</summary>
public sealed class LinuxTopologySignatureTests
{
    private const string Group = "sys/fs/cgroup/user.slice/app.service";
    private const string Partition = $"{Group}/cpuset.cpus.partition";

    private static (string? Text, int Accesses) Read(MachineTree tree, LinuxTopologyProvider provider)
    {
        var files = new MachineFiles(tree.Options.SysfsRoot, tree.Options.ProcRoot);
        return (LinuxTopologySignature.Read(files, provider.PartitionFiles), files.Budget.Accesses);
    }

    private static MachineTree WithMasks(MachineTree tree) =>
        tree.Write(MachineTree.Status, "Cpus_allowed_list:\t0-2\nMems_allowed_list:\t0\n");

    private static LinuxTopologyProvider ProviderThatHasRead(MachineTree tree)
    {
        var provider = new LinuxTopologyProvider(tree.Options);
        provider.Read();
        return provider;
    }

    [Fact]
    public void Read_OwnPartitionTurnsIsolatedAndBack_TellsBoth()
    {
        using var tree = WithMasks(MachineTree.CgroupVersion2())
            .Write(Partition, "root\n").Write($"{Group}/cpuset.cpus.effective", "0-2\n");
        var provider = ProviderThatHasRead(tree);
        var before = Read(tree, provider).Text;
        Assert.NotNull(before);

        tree.Write(Partition, "isolated\n");
        Assert.NotEqual(before, Read(tree, provider).Text);
        Assert.Equal("0-2", provider.Read().IsolatedCpus.ToString());
        tree.Write(Partition, "root\n");
        Assert.Equal(before, Read(tree, provider).Text);
    }

    [Fact]
    public void Read_GroupAboveBecomesAPartition_IsReportedAlthoughNoneWasThere()
    {
        using var tree = WithMasks(MachineTree.CgroupVersion2());
        var provider = ProviderThatHasRead(tree);
        var before = Read(tree, provider).Text;

        tree.Write("sys/fs/cgroup/user.slice/cpuset.cpus.partition", "isolated\n");
        Assert.NotEqual(before, Read(tree, provider).Text);
    }

    [Fact]
    public void Read_ProcessMovesToAnotherGroup_IsReported()
    {
        using var tree = WithMasks(MachineTree.CgroupVersion2());
        var provider = ProviderThatHasRead(tree);
        var before = Read(tree, provider).Text;

        tree.Write("proc/self/cgroup", "0::/user.slice/other.service\n");
        Assert.NotEqual(before, Read(tree, provider).Text);
    }

    [Fact]
    public void Read_AnyMachine_OpensFiveFilesAndThoseOfThePartition()
    {
        using var version1 = WithMasks(MachineTree.CgroupVersion1());
        Assert.Equal(5, Read(version1, ProviderThatHasRead(version1)).Accesses);

        // The process's group and a file of each of the three groups from it to the root; not the mount table.
        using var version2 = WithMasks(MachineTree.CgroupVersion2());
        Assert.Equal(9, Read(version2, ProviderThatHasRead(version2)).Accesses);

        // Groups above a partition do not matter.
        version2.Write(Partition, "root\n");
        Assert.Equal(7, Read(version2, ProviderThatHasRead(version2)).Accesses);
    }

    [Fact]
    public void Read_MasksCannotBeRead_ThereIsNone()
    {
        using var tree = MachineTree.TwoNodes();
        Assert.Null(Read(tree, ProviderThatHasRead(tree)).Text);
    }
}
