using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>A reading may be polled: it opens files in proportion to the machine, and never without end.</summary>
public sealed class ReadingCostTests
{
    private static (int Accesses, NumaTopology Topology) Read(MachineTree tree)
    {
        var files = new MachineFiles(tree.Options.SysfsRoot, tree.Options.ProcRoot);
        var topology = new LinuxTopologyReader(files).Read("Linux");
        return (files.Budget.Accesses, topology);
    }

    [Theory]
    [InlineData(16)]
    [InlineData(64, Traits = new[] { "tier", "deep" })]
    public void Read_ManyCpusAndNodes_OpensFilesInProportion(int packages)
    {
        using var small = new MachineTree();
        using var large = new MachineTree();
        MachineShape.Uniform(8, 8, 1, coresPerCache: 2, threads: 4).Write(small, leadersOnly: true);
        MachineShape.Uniform(packages, 8, 1, coresPerCache: 2, threads: 4).Write(large, leadersOnly: true);

        var (few, _) = Read(small);
        var (many, topology) = Read(large);

        Assert.Equal((packages * 64, packages * 8), (topology.AllowedCpus.Count, topology.NodeCount));
        Assert.Equal((packages * 16, packages * 8), (topology.Cores.Count, topology.LastLevelCaches.Count));
        TestContext.Current.TestOutputHelper?.WriteLine($"8 packages: {few} files and entries; {packages}: {many}");
        Assert.InRange(many, 1, packages / 8 * few);
        Assert.InRange(many, 1, (4 * topology.Cores.Count) + (20 * topology.LastLevelCaches.Count) + (15 * topology.NodeCount));
    }

    [Fact]
    public void Files_MountTableAndCgroups_AreReadOncePerReading()
    {
        using var tree = new MachineTree();
        tree.Write("proc/mounts", "one").Write("proc/self/cgroup", "one");
        var files = new MachineFiles(tree.Options.SysfsRoot, tree.Options.ProcRoot);
        Assert.Equal(("one", "one"), (files.Mounts.Text, files.Cgroups.Text));
        tree.Write("proc/mounts", "two").Write("proc/self/cgroup", "two");

        Assert.Equal(("one", "one", 2), (files.Mounts.Text, files.Cgroups.Text, files.Budget.Accesses));
    }

    [Fact]
    public void Files_NoMountTable_IsThatOfTheProcess()
    {
        using var tree = new MachineTree();
        tree.Write("proc/self/mounts", "own");
        Assert.Equal("own", new MachineFiles(tree.Options.SysfsRoot, tree.Options.ProcRoot).Mounts.Text);
    }

    [Fact]
    public void Read_SiblingsOfACoreAndACache_AreNotOpened()
    {
        using var tree = new MachineTree();
        MachineShape.Uniform(1, 1, 1, coresPerCache: 8, threads: 1).Write(tree);
        var wide = Read(tree).Accesses;
        using var shared = new MachineTree();
        MachineShape.Uniform(1, 1, 1, coresPerCache: 8, threads: 4).Write(shared);

        // Four times the CPUs: one more file for each core, the id of its second thread.
        Assert.Equal(wide + 8, Read(shared).Accesses);
    }

    [Fact]
    public void Read_ManyNodesThatLinkToTheSameLargeFolder_EndsWithItsName()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Links need privileges on Windows.");
        using var tree = MachineTree.TwoNodes();
        for (var file = 0; file < 2_000; file++)
        {
            tree.Write($"large/initiators/node{file}", "");
        }

        tree.Write(MachineTree.NodeOnline, "0-999\n").Delete("sys/devices/system/node/node1");
        for (var node = 1; node < 1000; node++)
        {
            tree.Link(MachineTree.NodeFolder(node), tree.PathOf("sys/devices/system/node/node0"));
        }

        tree.Write("sys/devices/system/node/node0/cpumap", "0\n")
            .Link("sys/devices/system/node/node0/access0", tree.PathOf("large"));

        var exception = Assert.Throws<NumaTopologyException>(tree.Read);
        Assert.Contains("access0/initiators", exception.Path, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_EveryCpuFileIsAnEndlessDevice_Ends()
    {
        Assert.SkipUnless(File.Exists("/dev/zero"), "There is no /dev/zero.");
        using var tree = MachineTree.TwoNodes();
        tree.Write(MachineTree.CpuOnline, "0-2047\n").Link("cpu/topology/core_cpus_list", "/dev/zero");
        for (var cpu = 0; cpu < 2048; cpu++)
        {
            tree.Link(MachineTree.CpuFolder(cpu), tree.PathOf("cpu"));
        }

        var exception = Assert.Throws<NumaTopologyException>(tree.Read);
        Assert.Contains("core_cpus_list", exception.Path, StringComparison.Ordinal);
    }
}
