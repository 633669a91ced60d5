using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>One row per malformed file: the reading continues with other data, and a warning says so.</summary>
public sealed class MalformedFileTests
{
    private const string Node1 = "sys/devices/system/node/node1";

    [Theory]
    [InlineData("cpumap", "")]
    [InlineData("cpumap", "f0,\n")]
    [InlineData("cpumap", "xyz\n")]
    [InlineData("cpumap", "\0\u0001\u00ff")]
    [InlineData("cpumap", "123456789,0\n")]
    [InlineData("cpulist", "7-4\n")]
    [InlineData("cpulist", "4-99999999999999999999\n")]
    [InlineData("cpulist", "-4\n")]
    [InlineData("cpulist", "4-7:3/2\n")]
    [InlineData("distance", "21\n")]
    [InlineData("distance", "21 ten\n")]
    [InlineData("distance", "21 10 21\n")]
    [InlineData("distance", "21 9\n")]
    [InlineData("distance", "256 10\n")]
    [InlineData("distance", "")]
    [InlineData("meminfo", "")]
    [InlineData("meminfo", "Node 1 MemTotal: ")]
    [InlineData("meminfo", "Node 1 MemTotal: -5 kB\n")]
    [InlineData("meminfo", "Node 1 MemTotal: 99999999999999999999 kB\n")]
    [InlineData("meminfo", "Node 1 MemTotal: 9223372036854775807 kB\n")]
    [InlineData("meminfo", "Node 1 MemTotal: 1048576 MB\n")]
    [InlineData("meminfo", "\0\0\u0080\u00ff")]
    public void Read_MalformedFileOfNode_KeepsItsCpusAndWarns(string file, string text)
    {
        using var tree = MachineTree.TwoNodes();
        if (file == "cpulist")
        {
            tree.Delete($"{Node1}/cpumap");
        }

        foreach (var cpu in Enumerable.Range(4, 4))
        {
            tree.Link(string.Create(CultureInfo.InvariantCulture, $"sys/devices/system/cpu/cpu{cpu}/node1"), "../../node/node1");
        }

        var topology = tree.Write($"{Node1}/{file}", text).Read();

        Assert.Equal("4-7", topology.FindNode(new(1))!.Cpus.ToString());
        Assert.Equal("0-1", topology.MemoryNodes.ToString());
        var path = tree.PathOf($"{Node1}/{file}");
        Assert.Contains(topology.Warnings, warning => warning.StartsWith(path, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("sys/devices/system/node/online", "1-0\n")]
    [InlineData("sys/devices/system/node/online", "\u0001\u0002\n")]
    [InlineData("sys/devices/system/node/online", "")]
    [InlineData("proc/self/status", "Cpus_allowed_list:\tnone\n")]
    [InlineData("proc/self/status", "Cpus_allowed:\tfx\n")]
    [InlineData("proc/self/status", "Mems_allowed_list:\t0-\nMems_allowed:\t\n")]
    [InlineData("sys/fs/cgroup/user.slice/cpuset.cpus.effective", "0-x\n")]
    [InlineData("sys/fs/cgroup/user.slice/cpuset.mems.effective", "4294967296\n")]
    public void Read_MalformedFileOfMachine_WarnsAndNamesIt(string file, string text)
    {
        using var tree = MachineTree.CgroupVersion2();

        var topology = tree.Write(file, text).Read();

        Assert.Contains(topology.Warnings, warning => warning.StartsWith(tree.PathOf(file), StringComparison.Ordinal));
        Assert.NotEmpty(topology.AllowedCpus);
        Assert.NotEmpty(topology.MemoryNodes);
    }

    [Theory]
    [InlineData("sys/devices/system/node/online", "0-2000\n", "at most 1024 nodes")]
    [InlineData("sys/devices/system/cpu/online", "\n", "list of online CPUs")]
    [InlineData("sys/devices/system/cpu/online", "0-99999999\n", "list of online CPUs")]
    [InlineData("sys/devices/system/cpu/online", "cpus\n", "list of online CPUs")]
    public void Read_NoHonestReadingLeft_ThrowsWithFileAndWhatIsAllowed(string file, string text, string allowed)
    {
        using var tree = MachineTree.TwoNodes();
        tree.Write(file, text);

        var exception = Assert.Throws<NumaTopologyException>(tree.Read);

        Assert.Equal(tree.PathOf(file), exception.Path);
        Assert.Contains(allowed, exception.Allowed, StringComparison.Ordinal);
        Assert.Contains(exception.Path, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_SysfsRootMissing_Throws()
    {
        using var tree = MachineTree.TwoNodes();
        tree.Delete("sys");

        Assert.Equal(tree.PathOf("sys"), Assert.Throws<NumaTopologyException>(tree.Read).Path);
    }

    [Fact]
    public void Read_NodeVanishesAfterTheList_IsLeftOutAndWarns()
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Delete(Node1).Write(MachineTree.CpuOnline, "0-3\n").Read();

        Assert.Equal(0, Assert.Single(topology.Nodes).NodeId);
        Assert.Contains(topology.Warnings, static warning => warning.Contains("node1", StringComparison.Ordinal));
    }

    [Fact]
    public void Read_AllNodesWithoutMemory_NodesWithCpusAreTakenToHaveSome()
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Node(0, "f", "0-3", 0, "10 21").Node(1, "f0", "4-7", 0, "21 10").Read();

        Assert.Equal("0-1", topology.MemoryNodes.ToString());
        Assert.Single(topology.Warnings);
    }

    [Fact]
    public void Read_MeminfoUnreadable_HasMemoryListDecides()
    {
        using var tree = MachineTree.CpulessNode();
        tree.Write("sys/devices/system/node/node2/meminfo", "?").Write("sys/devices/system/node/has_memory", "0-2\n");

        Assert.Equal(NumaNodeKind.Memory, tree.Read().FindNode(new(2))!.Kind);
    }

    [Fact]
    public void Read_ControlCharactersInAFile_DoNotReachWarnings()
    {
        using var tree = MachineTree.TwoNodes();
        var topology = tree.Write($"{Node1}/cpumap", "\u001b[31mforged\nline 2").Read();

        Assert.DoesNotContain(topology.Warnings, static warning => warning.Any(char.IsControl));
    }

    [Fact]
    public void Read_EveryNodeMalformed_KeepsTheWarningsShort()
    {
        using var tree = new MachineTree();
        tree.Write(MachineTree.CpuOnline, "0-63\n");
        for (var node = 0; node < 64; node++)
        {
            tree.Write($"sys/devices/system/node/node{node}/cpumap", new string('z', 10_000));
        }

        var topology = tree.Read();

        Assert.InRange(topology.Warnings.Count, 2, 40);
        Assert.All(topology.Warnings, static warning => Assert.InRange(warning.Length, 1, 500));
    }
}
