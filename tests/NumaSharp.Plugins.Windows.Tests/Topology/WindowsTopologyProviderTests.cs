using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Topology;

public sealed class WindowsTopologyProviderTests
{
    [Fact]
    public void Read_Desktop_HasNodeCoresAndLastLevelCache()
    {
        var topology = Read(Machines.Desktop());

        var node = Assert.Single(topology.Nodes);
        Assert.Equal("Windows", topology.Source);
        Assert.Empty(topology.Warnings);
        Assert.Equal(CpuSet.Range(0, 8), node.Cpus);
        Assert.Equal((NumaNodeKind.Normal, 32L << 30, 11L << 30), (node.Kind, node.MemoryBytes, node.MemoryFreeBytes));
        Assert.Empty(node.Distances);
        Assert.Equal(
            Enumerable.Range(0, 4).Select(static core => new NumaCore(0, core, CpuSet.Range(core * 2, 2))),
            topology.Cores);
        Assert.Equal([new NumaCache(3, 32 << 20, CpuSet.Range(0, 8))], topology.LastLevelCaches);
    }

    [Fact]
    public void Read_Hybrid_GivesEveryCpuItsOwnKindOfCoreAndCache()
    {
        var topology = Read(Machines.Hybrid());

        Assert.Equal([2, 2, 1, 1, 1, 1], topology.Cores.Select(static core => core.Cpus.Count));
        Assert.Equal(
            [new(3, 24 << 20, CpuSet.Range(0, 4)), new(2, 4 << 20, CpuSet.Range(4, 4))],
            topology.LastLevelCaches);
    }

    [Fact]
    public void Read_TwoGroups_NumbersTheSecondFrom64()
    {
        var topology = Read(Machines.TwoGroups());

        Assert.Equal([CpuSet.Range(0, 48), CpuSet.Range(64, 48)], topology.Nodes.Select(static node => node.Cpus));
        Assert.Equal(CpuSet.FromIds(0, 1), topology.MemoryNodes);

        // The machine's total is not a node's: what is available stands for it.
        Assert.Equal([60L << 30, 50L << 30], topology.Nodes.Select(static node => node.MemoryBytes));
        Assert.Equal(1, topology.IndexOfCpu(100));
    }

    [Fact]
    public void Read_NodeOverTwoGroups_HasAllOfItsCpus()
    {
        var topology = Read(Machines.WideNode());

        Assert.Equal(CpuSet.Range(0, 128), Assert.Single(topology.Nodes).Cpus);
        Assert.Equal(CpuSet.Range(0, 128), Assert.Single(topology.LastLevelCaches).Cpus);
        Assert.Equal(256L << 30, topology.Nodes[0].MemoryBytes);
    }

    [Fact]
    public void Read_NodesWithoutCpusOrMemory_AreOfTheirKind()
    {
        var topology = Read(Machines.MemoryOnly());

        Assert.Equal(
            [(0, NumaNodeKind.Normal), (1, NumaNodeKind.Memory), (3, NumaNodeKind.Cpu)],
            topology.Nodes.Select(static node => (node.NodeId, node.Kind)));
        Assert.Equal(CpuSet.FromIds(0, 1), topology.MemoryNodes);
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_NoMemoryReportedOnSeveralNodes_SaysSo()
    {
        var machine = Machines.TwoGroups();
        machine.AvailableBytes.Clear();
        var topology = Read(machine);

        Assert.Equal(CpuSet.FromIds(0, 1), topology.MemoryNodes);
        Assert.Contains("memory available on each node is unknown", Assert.Single(topology.Warnings), StringComparison.Ordinal);
    }

    [Fact]
    public void Read_NothingButRecords_IsOneNodeWithTheMachinesMemory()
    {
        // What Wine 8 offers.
        var machine = Machines.Desktop();
        machine.HighestNode = null;
        machine.AvailableBytes.Clear();
        machine.ProcessGroups = null;
        var topology = Read(machine);

        Assert.Equal(32L << 30, Assert.Single(topology.Nodes).MemoryBytes);
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_CallFails_NamesIt()
    {
        var machine = Machines.Desktop();
        machine.RecordsError = Win32Error.ERROR_ACCESS_DENIED;
        var exception = Assert.Throws<NumaException>(() => Read(machine));
        Assert.Equal("GetLogicalProcessorInformationEx failed: ERROR_ACCESS_DENIED.", exception.Message);
    }

    [Fact]
    public void Read_NoActiveCpu_SaysSo()
    {
        var machine = Machines.Desktop();
        machine.Records = new RecordBuilder().Node(0, (0, 0xFF)).Groups(0).ToArray();
        Assert.Contains("no active CPU", Assert.Throws<NumaException>(() => Read(machine)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_CpuThatDoesNotRun_IsNowhere()
    {
        var machine = Machines.Desktop();
        machine.Records = new RecordBuilder()
            .Node(0, (0, 0xFF)).Core((0, 0x3)).Core((0, 0xC)).Cache(3, 0, 1, (0, 0xFF)).Groups(0x7).ToArray();
        var topology = Read(machine);

        Assert.Equal(CpuSet.Range(0, 3), topology.AllowedCpus);
        Assert.Equal([CpuSet.Range(0, 2), CpuSet.FromIds(2)], topology.Cores.Select(static core => core.Cpus));
        Assert.Equal(CpuSet.Range(0, 3), Assert.Single(topology.LastLevelCaches).Cpus);
    }

    [Fact]
    public void Read_OffWindows_SaysWhy()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "This is Windows.");
        var exception = Assert.Throws<NumaException>(() => new WindowsTopologyProvider().Read());
        Assert.Equal("The provider Windows cannot read this machine: this system is not Windows.", exception.Message);
    }

    private static NumaTopology Read(FakeMachine machine) => new WindowsTopologyProvider(machine).Read();
}
