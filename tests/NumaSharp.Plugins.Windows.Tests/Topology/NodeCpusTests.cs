using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Tests.Support;

namespace NumaSharp.Plugins.Windows.Tests.Topology;

public sealed class NodeCpusTests
{
    [Fact]
    public void Read_RecordsOfTheFirstGroupAlone_AreCompletedByMask2()
    {
        var machine = Machines.WideNode();
        machine.Records = new RecordBuilder().EarlierNode(0, 0, ulong.MaxValue).Groups(ulong.MaxValue, ulong.MaxValue).ToArray();

        var topology = new WindowsTopologyProvider(machine).Read();
        Assert.Equal(CpuSet.Range(0, 128), Assert.Single(topology.Nodes).Cpus);
        Assert.Empty(topology.Warnings);
    }

    [Fact]
    public void Read_WithoutMask2_AsksMaskEx()
    {
        var machine = Machines.TwoGroups();
        machine.Records = new RecordBuilder().Groups(0xF, 0xF).ToArray();
        machine.NodeMasks.Add(0, [(0, 0xF)]);
        machine.NodeMasks.Add(1, [(1, 0xF)]);

        Assert.Equal(
            [CpuSet.Range(0, 4), CpuSet.Range(64, 4)],
            new WindowsTopologyProvider(machine).Read().Nodes.Select(static node => node.Cpus));
    }

    [Fact]
    public void Read_MoreGroupsThanTheFirstArray_GetsAll()
    {
        var machine = Machines.WideNode();
        var groups = Enumerable.Repeat(1UL, 20).ToArray();
        machine.Records = new RecordBuilder().Groups(groups).ToArray();
        machine.NodeMasks[0] = [.. groups.Select(static (mask, group) => (group, mask))];

        Assert.Equal(20, Assert.Single(new WindowsTopologyProvider(machine).Read().Nodes).Cpus.Count);
    }

    [Fact]
    public void Read_CpuOnTwoNodes_StaysOnTheFirst()
    {
        var machine = Machines.TwoGroups();
        machine.Records = new RecordBuilder().Node(0, (0, 0xF)).Node(1, (0, 0xF8)).Groups(0xFF).ToArray();
        var topology = new WindowsTopologyProvider(machine).Read();

        Assert.Equal([CpuSet.Range(0, 4), CpuSet.Range(4, 4)], topology.Nodes.Select(static node => node.Cpus));
        Assert.Equal("CPUs 3 are on node 1 and on an earlier one, which keeps them.", Assert.Single(topology.Warnings));
    }

    [Fact]
    public void Read_CpuOnNoNode_IsOnTheFirstWithCpus()
    {
        var machine = Machines.TwoGroups();
        machine.Records = new RecordBuilder().Node(1, (0, 0xF)).Groups(0xFF).ToArray();
        var topology = new WindowsTopologyProvider(machine).Read();

        Assert.Equal(CpuSet.Range(0, 8), topology.FindNode(new(1))!.Cpus);
        Assert.Equal("CPUs 4-7 are on no node; they count as on node 1.", Assert.Single(topology.Warnings));
    }

    [Fact]
    public void Read_HugeHighestNode_StaysBounded()
    {
        var machine = Machines.Desktop();
        machine.HighestNode = uint.MaxValue;
        Assert.Equal(1, new WindowsTopologyProvider(machine).Read().NodeCount);
    }
}
