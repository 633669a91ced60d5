using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

public sealed class NumaPlanChangeTests
{
    private static readonly NumaPlan s_plan = NumaPlan.Create(TestMachines.ReadAllowed("0-11", "0-2"));

    [Fact]
    public void Adapt_CpusOfANodeGo_KeepsItsLoopsAndAWorkerForEachThatIsLeft()
    {
        var change = s_plan.Adapt(TestMachines.ReadAllowed("0-5,8-11", "0-2"));

        var node = change.Plan.Nodes[1];
        Assert.Equal((2, 4, "4-5"), (node.Threads, node.Loops, node.Cpus.ToString()));
        Assert.All(node.ThreadCpus.Concat(node.LoopCpus), static cpus => Assert.Equal("4-5", cpus.ToString()));
        Assert.Equal([1], change.MovedNodeIndexes);
        Assert.Equal("CPUs 6-7 gone; node 1 on CPUs 4-5 instead of 4-7", change.ToString());
        Assert.Empty(change.Fallbacks);
    }

    [Fact]
    public void Adapt_AllCpusOfANodeGo_RunsItsThreadsOnTheNearest()
    {
        var change = s_plan.Adapt(TestMachines.ReadAllowed("0-7", "0-2"));

        var node = change.Plan.Nodes[2];
        Assert.Equal((2, 2, 4, "4-7"), (node.NodeIndex, node.ServingIndex, node.Threads, node.Cpus.ToString()));
        Assert.Equal(2, node.MemoryNodeId.Value);
        Assert.Equal([0, 1], new List<int> { change.Plan.IndexOfCpu(3), change.Plan.IndexOfCpu(4) });
        Assert.Equal(-1, change.Plan.IndexOfCpu(8));
        Assert.Equal("CPUs 8-11 gone; node 2 on CPUs 4-7 instead of 8-11", change.ToString());
    }

    // With a CPU for each thread these stay where they are, but threads beyond the plan's must know.
    [Fact]
    public void Adapt_CpusBecomeIsolated_IsAChangeOfTheirNodeAlsoWhenItsThreadsStay()
    {
        var request = new NumaPlanRequest { Cpus = CpuSet.Range(0, 8), Granularity = NumaAffinityGranularity.Cpu };
        var plan = NumaPlan.Create(TestMachines.ReadAllowed("0-7", "0-1"), request);
        var isolated = new NumaTopology("Changing", plan.Topology.Nodes) { IsolatedCpus = CpuSet.ParseList("6-7,100") };
        var change = plan.Adapt(isolated);

        Assert.Equal(plan.Nodes[1].ThreadCpus, change.Plan.Nodes[1].ThreadCpus);
        Assert.Equal([1], change.MovedNodeIndexes);
        Assert.Equal("4-5", change.Plan.BalancedOf(change.Plan.Nodes[1].Cpus).ToString());
    }

    [Fact]
    public void Adapt_ANodeGoesAltogether_KeepsItsPositionAndComesBack()
    {
        var gone = s_plan.Adapt(TestMachines.ReadAllowed("0-3,8-11", "0,2")).Plan.Adapt(TestMachines.ReadAllowed("8-11", "2"));
        Assert.Equal([0, 1, 2], gone.Plan.Nodes.Select(static node => node.NodeId.Value));
        Assert.All(gone.Plan.Nodes, static node => Assert.Equal(("8-11", 2), (node.Cpus.ToString(), node.MemoryNodeId.Value)));
        Assert.Equal(2, gone.Plan.IndexOfCpu(9));

        var back = gone.Plan.Adapt(s_plan.Topology);
        Assert.Equal("0-7", back.AddedCpus.ToString());
        Assert.Equal(s_plan.Nodes.Select(static node => node.ToString()), back.Plan.Nodes.Select(static node => node.ToString()));
        Assert.Empty(back.Fallbacks);
    }

    [Fact]
    public void Adapt_MemoryOfANodeGoes_TakesTheNearest()
    {
        var change = s_plan.Adapt(TestMachines.ReadAllowed("0-11", "0-1"));

        Assert.Equal([0, 1, 1], change.Plan.Nodes.Select(static node => node.MemoryNodeId.Value));
        Assert.Equal(
            "memory of nodes 2 gone; node 2 on CPUs 8-11, memory of node 1 instead of node 2",
            change.ToString());
    }

    [Fact]
    public void Adapt_OnlyFreeMemoryDiffers_IsNoChange()
    {
        var full = new NumaTopology("Test", s_plan.Topology.Nodes.Select(static node => node with { MemoryFreeBytes = 1 }))
        {
            Cores = s_plan.Topology.Cores,
        };
        var change = s_plan.Adapt(full);
        Assert.True(change.IsEmpty);
        Assert.Equal("nothing", change.ToString());
    }

    [Fact]
    public void Adapt_CpuThatWasNotAskedForGoes_MovesNothing()
    {
        var plan = NumaPlan.Create(s_plan.Topology, new NumaPlanRequest { Cpus = CpuSet.ParseList("0-3") });
        var change = plan.Adapt(TestMachines.ReadAllowed("0-7", "0-2"));
        Assert.True(change.IsEmpty);
        Assert.Equal("8-11", change.RemovedCpus.ToString());
    }

    [Theory]
    [InlineData("0-1", "1,8", "0,4", "0-3", "1")]
    [InlineData("0-1", null, "0,4", "4-7", "5-7")]
    [InlineData(null, "0-3", "0,4", "4-7", "5-7")]
    [InlineData("1", "0-7", "", "0-3,8-11", "0-3")]
    [InlineData("1", null, "0", "0-3", "1-3")]
    [InlineData(null, null, "0,4", "4", "4")]
    public void Adapt_RequestNoLongerFits_KeepsWhatFits(
        string? nodes, string? cpus, string reserved, string left, string expected)
    {
        var plan = NumaPlan.Create(s_plan.Topology, new NumaPlanRequest
        {
            Nodes = nodes is null ? null : CpuSet.ParseList(nodes),
            Cpus = cpus is null ? null : CpuSet.ParseList(cpus),
            ReservedCpus = CpuSet.ParseList(reserved),
        });
        var change = plan.Adapt(TestMachines.ReadAllowed(left, "0-2"));
        Assert.Equal(expected, change.Plan.Cpus.ToString());
        Assert.Same(plan.Request, change.Plan.Request);
    }

    [Fact]
    public void Adapt_NothingOfTheRequestIsLeft_SaysWhatIsUsedUntilItIsBack()
    {
        var plan = NumaPlan.Create(s_plan.Topology, new NumaPlanRequest { Cpus = CpuSet.ParseList("8-9") });
        var gone = plan.Adapt(TestMachines.ReadAllowed("0-3", "0-2"));

        var fallback = Assert.Single(gone.Fallbacks, static fallback => fallback.Feature == "topology.request");
        Assert.Contains("Cpus = '8-9'", fallback.Message, StringComparison.Ordinal);
        Assert.EndsWith("Until it does, CPUs 0-3 are used.", fallback.Message, StringComparison.Ordinal);
        var back = gone.Plan.Adapt(s_plan.Topology);
        Assert.Equal(("8-9", 0), (back.Plan.Cpus.ToString(), back.Fallbacks.Count));
    }

    [Fact]
    public void Adapt_NodeThatHadNoWorkersGetsCpus_LeavesThemAndSaysSo()
    {
        var plan = NumaPlan.Create(TestMachines.ReadAllowed("0-3", "0-1"));
        var change = plan.Adapt(TestMachines.ReadAllowed("0-11", "0-2"));

        Assert.True(change.IsEmpty);
        Assert.Equal([0, 1], change.Plan.Nodes.Select(static node => node.NodeId.Value));
        Assert.Contains("CPUs 4-11 can be used now", Assert.Single(change.Fallbacks).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Adapt_NodeGetsMoreCpusThanAtTheStart_GetsWorkersForThemAndSaysThatItsLoopsStay()
    {
        var change = NumaPlan.Create(TestMachines.ReadAllowed("0-1", "0")).Adapt(TestMachines.ReadAllowed("0-3", "0"));

        var node = change.Plan.Nodes[0];
        Assert.Equal((4, 2, "0-3"), (node.Threads, node.Loops, node.ThreadCpus[3].ToString()));
        Assert.Contains(
            "Node 0 has more CPUs (0-3) than at the start: its 2 loops",
            Assert.Single(change.Fallbacks).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Adapt_InterfaceAndAllCpusOfItsNodeGo_SpreadsItsLoopsOverAllCpusOfTheNearest()
    {
        var eth = new NumaNetworkDevice("eth0", new(1));
        var plan = NumaPlan.Create(
            new NumaTopology("Changing", s_plan.Topology.Nodes) { NetworkDevices = [eth] },
            new NumaPlanRequest { NetworkDevice = "eth0", Granularity = NumaAffinityGranularity.Cpu, ThreadsPerNode = 1 });
        var change = plan.Adapt(TestMachines.ReadAllowed("0-3", "0"));

        Assert.Equal(["0", "1", "2", "3"], change.Plan.Nodes[1].LoopCpus.Select(static cpus => cpus.ToString()));
        Assert.Equal(["0", "1", "2"], change.Plan.Nodes.Select(static node => node.ThreadCpus[0].ToString()));
        Assert.Equal("topology.request", Assert.Single(change.Fallbacks).Feature);
    }

    [Fact]
    public void Adapt_MemoryOfAMapGoes_KeepsWhatIsLeftOfTheMap()
    {
        var plan = NumaPlan.Create(TestMachines.ReadAllowed("0-11", "1-2"), new NumaPlanRequest
        {
            Nodes = CpuSet.FromIds(0),
            Policy = NumaMemoryPolicy.Custom,
            Map = new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> { [new(0)] = [new(2), new(1)] },
        });
        var node = plan.Adapt(TestMachines.ReadAllowed("0-11", "2")).Plan.Nodes[0];
        Assert.Equal((NumaMemoryPolicy.Custom, 2), (node.MemoryPolicy, Assert.Single(node.MemoryNodeIds).Value));
    }

    [Fact]
    public void Adapt_DisabledPlan_StaysOnAllCpus()
    {
        var plan = NumaPlan.Create(s_plan.Topology, new NumaPlanRequest { Enabled = false });
        var change = plan.Adapt(TestMachines.ReadAllowed("4-7", "1"));
        Assert.Equal((0, "4-7"), (Assert.Single(change.Plan.Nodes).NodeId.Value, change.Plan.Cpus.ToString()));
    }
}
