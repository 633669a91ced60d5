extern alias cluster;
using cluster::NumaSharp.Playground.Cluster;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Playground.Tests.Cluster;

/// <summary>The cluster on paper.</summary>
public sealed class PodPlacementTests
{
    private static readonly MachineShape s_shape = new(Nodes: 2, CpusPerNode: 4);

    [Fact]
    public void Of_OneNodeOnly_NoPodSpansAndTheRestStaysFree()
    {
        var placement = PodPlacement.Of(s_shape, [3, 3, 2, 8], mustBeOneNode: true);
        Assert.Equal((2, 0, 1), (placement.Machines, placement.Spanning, placement.Refused));
        Assert.Equal(["0-2", "4-6", "0-1"], placement.Pods.Select(static pod => $"{pod}"));
        Assert.Equal(0.5, placement.FreeShare);
    }

    [Fact]
    public void Of_BestEffort_FillsWhatIsLeftAcrossNodes()
    {
        var placement = PodPlacement.Of(s_shape, [3, 3, 2, 8], mustBeOneNode: false);
        Assert.Equal((2, 2, 0), (placement.Machines, placement.Spanning, placement.Refused));
        Assert.Equal(["0-2", "4-6", "3,7", "0-7"], placement.Pods.Select(static pod => $"{pod}"));
        Assert.Equal(0, placement.FreeShare);
    }

    [Fact]
    public void Of_SmallPodAfterALargeOne_GoesToTheFullerNode()
    {
        var placement = PodPlacement.Of(s_shape, [3, 1], mustBeOneNode: true);
        Assert.Equal(["0-2", "3"], placement.Pods.Select(static pod => $"{pod}"));
    }

    [Theory]
    [InlineData(2)]
    [InlineData(64)]
    public void ToOptions_OfAPod_HasItsCpusAndTheirNodes(int nodes)
    {
        using var machine = new SimulatedMachine(new MachineShape(nodes, 16).ToOptions(CpuSet.ParseList("14-17")));
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        Assert.Equal(["14-15", "16-17"], plan.Nodes.Select(static node => $"{node.Cpus}"));
        Assert.Equal("0-1", $"{plan.Topology.MemoryNodes}");
    }

    [Fact]
    public void ToOptions_WholeMachine_IsPlannedWhole()
    {
        using var machine = new SimulatedMachine(new MachineShape(64, 16).ToOptions());
        var plan = NumaPlan.Create(machine.Platform.Topology.Read());
        Assert.Equal((64, 1024), (plan.Nodes.Count, plan.Nodes.Sum(static node => node.Threads)));
    }
}
