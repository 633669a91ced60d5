using NumaSharp.Core;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tests.Core.Topology;

public sealed class NumaTopologyTests
{
    [Fact]
    public void Nodes_GivenInAnyOrder_AreInOrderOfId()
    {
        var topology = new NumaTopology("Test", [Node(8, "4-5"), Node(2, "0-1")]);

        Assert.Equal([2, 8], topology.Nodes.Select(static node => node.NodeId));
        Assert.Equal(1, topology.IndexOfCpu(4));
        Assert.Equal(-1, topology.IndexOfCpu(2));
        Assert.Equal(-1, topology.IndexOfCpu(-1));
        Assert.Equal(-1, topology.IndexOfCpu(int.MaxValue));
        Assert.Equal("0-1,4-5", topology.AllowedCpus.ToString());
        Assert.Null(topology.FindNode(new(0)));
    }

    [Fact]
    public void MemoryNodes_DeviceMemory_IsNotOne()
    {
        var device = Node(9, "") with { Kind = NumaNodeKind.Device };
        Assert.Equal("0", new NumaTopology("Test", [Node(0, "0"), device]).MemoryNodes.ToString());
    }

    [Fact]
    public void Constructor_DeviceWithCpus_IsRefusedByNode()
    {
        var device = Node(9, "4-5") with { Kind = NumaNodeKind.Device };
        var memory = Node(0, "") with { IsMemoryAllowed = true };
        var exception = Assert.Throws<NumaException>(() => new NumaTopology("Test", [memory, device]));
        Assert.Contains("Node 9 is of kind Device", exception.Message, StringComparison.Ordinal);
        Assert.Contains("has CPUs 4-5", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Distance_NotGiven_IsTenToItselfAndTwentyToOthers()
    {
        var topology = new NumaTopology("Test", [Node(0, "0"), Node(1, "1")]);
        Assert.Equal(10, topology.GetDistance(new(0), new(0)));
        Assert.Equal(20, topology.GetDistance(new(0), new(1)));
        Assert.Equal(20, topology.GetDistance(new(7), new(1)));
    }

    [Fact]
    public void NodesByDistance_FirmwareClaimsANearerNode_ItselfComesFirst()
    {
        var topology = new NumaTopology("Test", [Node(0, "0", 1 << 30, 30, 10, 20), Node(1, "1"), Node(2, "2")]);

        Assert.Equal([0, 1, 2], topology.GetNodesByDistance(new(0)).Select(static node => node.NodeId));
        Assert.Equal([2, 0, 1], topology.GetNodesByDistance(new(2)).Select(static node => node.NodeId));
        Assert.Throws<ArgumentOutOfRangeException>(() => topology.GetNodesByDistance(new(3)));
    }

    [Fact]
    public void Constructor_Contradictions_Throw()
    {
        Assert.Throws<NumaException>(static () => new NumaTopology("Test", []));
        Assert.Throws<NumaException>(static () => new NumaTopology("Test", [Node(0, "")]));
        Assert.Throws<NumaException>(static () => new NumaTopology("Test", [Node(0, "0"), Node(0, "1")]));
        Assert.Throws<NumaException>(static () => new NumaTopology("Test", [Node(0, "0-1"), Node(1, "1-2")]));
    }

    [Fact]
    public void CpuIds_AfterACopyWithOtherCpus_AreThoseOfTheCopy()
    {
        var node = Node(0, "0-1");
        Assert.Equal([0, 1], node.CpuIds);
        Assert.Equal([5], (node with { Cpus = CpuSet.FromIds(5) }).CpuIds);
    }

    [Fact]
    public void NumaNode_SameContent_IsEqual()
    {
        var left = Node(0, "0-1") with { Distances = new Dictionary<NumaNodeId, int> { [new(0)] = 10, [new(1)] = 20 } };
        var right = Node(0, "0-1") with { Distances = new Dictionary<NumaNodeId, int> { [new(1)] = 20, [new(0)] = 10 } };
        Assert.NotEmpty(left.CpuIds);
        Assert.Equal(left, right);
        Assert.Equal(left.GetHashCode(), right.GetHashCode());
        Assert.NotEqual(left, right with { Distances = new Dictionary<NumaNodeId, int> { [new(0)] = 10 } });
        Assert.NotEqual(left, right with { MemoryFreeBytes = 1 });
    }

    [Fact]
    public void Lists_LaterChangesOfTheProviders_DoNotReachTopologyAndNode()
    {
        List<NumaMemoryAccess> access = [new(0, CpuSet.FromIds(0))];
        List<NumaHugePages> pages = [new(2 << 20, 4, 4)];
        Dictionary<NumaNodeId, int> distances = new() { [new(0)] = 10 };
        List<NumaNetworkDevice> devices = [new("eth0", new(0))];
        var node = Node(0, "0") with { Access = access, HugePages = pages, Distances = distances };
        var topology = new NumaTopology("Test", [node]) { NetworkDevices = devices };

        access.Clear();
        pages.Clear();
        distances[new(0)] = 99;
        devices.Clear();

        Assert.Equal((1, 1, 1), (node.Access.Count, node.HugePages.Count, topology.NetworkDevices.Count));
        Assert.Equal(10, topology.GetDistance(new(0), new(0)));
    }

    [Fact]
    public void Weights_LaterChangesOfTheList_DoNotReachThePlacement()
    {
        int[] weights = [3, 1];
        var placement = new NumaPlacement(NumaPlacementKind.WeightedInterleaved, CpuSet.Range(0, 2)) { Weights = weights };
        weights[0] = 9;
        Assert.Equal([3, 1], placement.Weights);
    }

    [Fact]
    public void SingleNodeProvider_AnyMachine_IsOneNodeWithMemory()
    {
        var topology = new SingleNodeTopologyProvider().Read();
        Assert.Equal(1, topology.NodeCount);
        Assert.Equal("0", topology.MemoryNodes.ToString());
        Assert.NotEmpty(topology.AllowedCpus);
    }
}
