using NumaSharp.Core;

namespace NumaSharp.TestKit.Tests;

public sealed class TestMachinesTests
{
    [Fact]
    public void Row_OfThreeNodes_HasTheirCpusAndDistances()
    {
        var topology = TestMachines.Row(2, 0, 3).Read();
        Assert.Equal([0, 1, 2], topology.Nodes.Select(static node => node.NodeId));
        Assert.Equal(["0-1", "", "2-4"], topology.Nodes.Select(static node => $"{node.Cpus}"));
        Assert.Equal(NumaNodeKind.Memory, topology.Nodes[1].Kind);
        Assert.Equal(
            [30, 20, 10], topology.Nodes[2].Distances.OrderBy(static pair => pair.Key).Select(static pair => pair.Value));
    }

    [Fact]
    public void Plan_OfARow_HasThreadsOnTheNodesWithCpus() =>
        Assert.Equal([2, 0, 3], TestMachines.Row(2, 0, 3).Plan().Nodes.Select(static node => node.Threads));
}
