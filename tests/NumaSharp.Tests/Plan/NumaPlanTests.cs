using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tests.Core.Planning;

public sealed class NumaPlanTests
{
    private const long Gibibyte = 1 << 30;

    // 0 and 1 are ordinary, 2 is memory near 1, 3 has CPUs only and is near 0.
    private static NumaTopology Machine() => new SimulatedMachineOptions
    {
        Nodes =
        {
            NodeOptions(0, "0-3", Gibibyte, 10, 21, 31, 12),
            NodeOptions(1, "4-7", Gibibyte, 21, 10, 17, 21),
            NodeOptions(2, "", Gibibyte, 31, 17, 10, 31),
            NodeOptions(3, "8-9", memoryBytes: 0, 12, 21, 31, 10),
        },
    }.Read();

    [Fact]
    public void Create_Defaults_PlansEveryNode()
    {
        var plan = NumaPlan.Create(Machine());

        Assert.Equal([0, 1, 2, 3], plan.Nodes.Select(static node => node.NodeId.Value));
        Assert.Equal([4, 4, 0, 2], plan.Nodes.Select(static node => node.Threads));
        Assert.Equal([4, 4, 0, 2], plan.Nodes.Select(static node => node.Loops));
        Assert.Equal([0, 1, 1, 3], plan.Nodes.Select(static node => node.ServingIndex));
        Assert.Equal([0, 1, 2, 0], plan.Nodes.Select(static node => node.MemoryNodeId.Value));
        Assert.Equal(10, plan.LoopCount);
        Assert.Equal("0-9", plan.Cpus.ToString());
        Assert.Equal(NumaBindMode.Advisory, plan.BindMode);
    }

    [Fact]
    public void Create_NodeWithoutCpus_IsServedByTheNearest()
    {
        var node = NumaPlan.Create(Machine()).FindNode(new(2))!;

        Assert.Equal("4-7", node.Cpus.ToString());
        Assert.Equal([1, 0, 3], node.Neighbors);
    }

    [Fact]
    public void Create_NodesAndCpusChosen_PlansOnlyThose()
    {
        var plan = NumaPlan.Create(Machine(), new NumaPlanRequest
        {
            Nodes = CpuSet.ParseList("1,3"),
            Cpus = CpuSet.ParseList("4-6,9"),
            ReservedCpus = CpuSet.FromIds(4),
            LoopsPerNode = 1,
        });

        Assert.Equal([1, 3], plan.Nodes.Select(static node => node.NodeId.Value));
        Assert.Equal("5-6,9", plan.Cpus.ToString());
        Assert.Equal([2, 1], plan.Nodes.Select(static node => node.Threads));
        Assert.Equal([1, 1], plan.Nodes.Select(static node => node.Loops));

        // Node 0 is nearer to 3, but it was not asked for.
        Assert.Equal(1, plan.FindNode(new(3))!.MemoryNodeId.Value);
        Assert.Equal(0, plan.IndexOfCpu(5));
        Assert.Equal(1, plan.IndexOfCpu(9));
        Assert.All([-1, 0, 4, 7, 10, int.MinValue, int.MaxValue], cpu => Assert.Equal(-1, plan.IndexOfCpu(cpu)));
    }

    [Fact]
    public void Create_ChosenNodeHasNoMemory_TakesTheNearestOfTheMachine()
    {
        var plan = NumaPlan.Create(Machine(), new NumaPlanRequest { Nodes = CpuSet.FromIds(3) });
        Assert.Equal(0, Assert.Single(plan.Nodes).MemoryNodeId.Value);
    }

    [Fact]
    public void Create_Disabled_IsOneNodeAndNothingIsPinnedOrBound()
    {
        var plan = NumaPlan.Create(Machine(), new NumaPlanRequest
        {
            Enabled = false,
            Nodes = CpuSet.FromIds(77),
            BindMode = NumaBindMode.Strict,
        });

        var node = Assert.Single(plan.Nodes);
        Assert.False(plan.IsEnabled);
        Assert.Equal(NumaBindMode.None, plan.BindMode);
        Assert.Equal("0-9", node.Cpus.ToString());
        Assert.Equal(10, node.Threads);
        Assert.Empty(node.Neighbors);
        Assert.Equal(0, plan.IndexOfCpu(9));
        Assert.Contains("nothing pinned or bound", plan.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Create_DeviceMemory_IsNotPlanned()
    {
        var plan = NumaPlan.Create(WithDevice());
        Assert.Equal(0, Assert.Single(plan.Nodes).NodeId.Value);
        Assert.Contains(
            "Node 9 is the memory of a device and is not used; to use it, name all nodes in Nodes.", plan.Notes);
        var problem = Assert.Single(PlanProblems.Of(WithDevice(), new NumaPlanRequest { Nodes = CpuSet.FromIds(9) }));
        Assert.Equal(nameof(NumaPlanRequest.Nodes), problem.Setting);
    }

    [Fact]
    public void Create_DeviceMemoryThatIsNamed_IsForItsOwnPool()
    {
        var plan = NumaPlan.Create(WithDevice(), new NumaPlanRequest { Nodes = CpuSet.FromIds(0, 9) });
        Assert.Equal([0, 9], plan.Nodes.Select(static node => node.NodeId.Value));
        Assert.Equal([0, 9], plan.Nodes.Select(static node => Assert.Single(node.MemoryNodeIds).Value));
        Assert.Equal((2, 0, 0), (plan.Nodes[0].Threads, plan.Nodes[1].Threads, plan.Nodes[1].ServingIndex));
        Assert.Contains("Node 9 is the memory of a device; Nodes names it.", plan.Notes);
    }

    [Fact]
    public void Create_DeviceMemoryThatIsNamed_IsTakenByPoliciesThatTakeAll()
    {
        var request = new NumaPlanRequest { Nodes = CpuSet.FromIds(0, 9), Policy = NumaMemoryPolicy.Interleave };
        Assert.All(
            NumaPlan.Create(WithDevice(), request).Nodes,
            static node => Assert.Equal([0, 9], node.MemoryNodeIds.Select(static id => id.Value)));
        request = request with
        {
            Policy = NumaMemoryPolicy.Custom,
            Map = new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> { [new(0)] = [new(9), new(0)] },
        };
        Assert.Equal([9, 0], NumaPlan.Create(WithDevice(), request).Nodes[0].MemoryNodeIds.Select(static id => id.Value));
    }

    [Fact]
    public void Create_DeviceMemoryOfAMachineWithoutOther_IsNotTakenByItsCpus()
    {
        NumaNode[] nodes =
        [
            new() { Id = new(0), Cpus = CpuSet.FromIds(0), OnlineCpus = CpuSet.FromIds(0), Kind = NumaNodeKind.Cpu },
            new() { Id = new(1), Kind = NumaNodeKind.Memory, IsMemoryAllowed = true },
            new() { Id = new(9), Kind = NumaNodeKind.Device, IsMemoryAllowed = true },
        ];
        var plan = NumaPlan.Create(new NumaTopology("Test", nodes), new NumaPlanRequest { Nodes = CpuSet.FromIds(0, 9) });
        Assert.Equal([1, 9], plan.Nodes.Select(static node => Assert.Single(node.MemoryNodeIds).Value));
    }

    private static NumaTopology WithDevice()
    {
        var device = NodeOptions(9, "");
        device.IsDevice = true;
        return new SimulatedMachineOptions { Nodes = { NodeOptions(0, "0-1"), device } }.Read();
    }

    [Fact]
    public void TryCreate_EverythingWrong_ListsEverything()
    {
        var request = new NumaPlanRequest
        {
            Nodes = CpuSet.ParseList("1,5"),
            Cpus = CpuSet.ParseList("9-12"),
            ThreadsPerNode = -1,
            LoopsPerNode = 5000,
            BindMode = (NumaBindMode)9,
        };

        var problems = PlanProblems.Of(Machine(), request);

        Assert.Equal(
            ["BindMode", "Cpus", "LoopsPerNode", "Nodes", "ThreadsPerNode"],
            problems.Select(static problem => problem.Setting).Order(StringComparer.Ordinal));
        var exception = Assert.Throws<NumaException>(() => NumaPlan.Create(Machine(), request));
        Assert.All(problems, problem => Assert.Contains(problem.ToString(), exception.Message, StringComparison.Ordinal));
        Assert.Contains("10-12", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(null, null, "0-9", "ReservedCpus")]
    [InlineData("1", "0-3", "", "Cpus")]
    [InlineData("2", null, "", "Nodes")]
    public void TryCreate_NoCpuLeft_NamesTheSetting(string? nodes, string? cpus, string reserved, string setting)
    {
        var request = new NumaPlanRequest
        {
            Nodes = nodes is null ? null : CpuSet.ParseList(nodes),
            Cpus = cpus is null ? null : CpuSet.ParseList(cpus),
            ReservedCpus = CpuSet.ParseList(reserved),
            ThreadsPerNode = -1,
        };

        var problems = PlanProblems.Of(Machine(), request);

        Assert.Equal(["ThreadsPerNode", setting], problems.Select(static problem => problem.Setting));
        Assert.Contains("no CPU is left", problems[1].Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(2, 2)]
    [InlineData(3, 0)]
    [InlineData(99, 2)]
    public void NearestTo_AnyNode_IsInThePlan(int nodeId, int expected)
    {
        var plan = NumaPlan.Create(Machine(), new NumaPlanRequest { Nodes = CpuSet.ParseList("0-2") });
        Assert.Equal(expected, plan.GetNearestNode(new(nodeId)).NodeId.Value);
    }

    [Fact]
    public void ToString_Plan_IsOneLine()
    {
        var text = NumaPlan.Create(Machine()).ToString();

        Assert.DoesNotContain('\n', text);
        Assert.StartsWith(
            "4 nodes (Simulated), bind Advisory: node 0 [cpus 0-3: 4 threads and 4 loops, memory of node 0]",
            text,
            StringComparison.Ordinal);
    }

    [Fact]
    public void ToString_NodeWhoseThreadsAreGuests_IsNamedWithItsHost()
    {
        var machine = Row(4, 4, 4, 4);
        var plan = machine.Plan();
        machine.AllowedCpus = CpuSet.ParseList("0-11");
        var text = plan.Adapt(machine.Read()).Plan.ToString();
        Assert.Contains("node 3 [cpus ", text, StringComparison.Ordinal);
        Assert.DoesNotContain("nodes ", text.Split(": ", 2)[1], StringComparison.Ordinal);
    }

    [Fact]
    public void ToString_NodesThatAreAlike_AreNamedTogether()
    {
        Assert.Equal(
            "9 nodes (Simulated), bind Advisory: "
                + "nodes 0-3,5-8 [4 cpus, 4 threads and 4 loops each, memory of their own]; "
                + "node 4 [cpus 16-17: 2 threads and 2 loops, memory of node 4]",
            Row(4, 4, 4, 4, 2, 4, 4, 4, 4).Plan().ToString());
        Assert.Contains(
            "node 1 [cpus 4-7: 4 threads and 4 loops, memory of node 1]", Row(4, 4).Plan().ToString(), StringComparison.Ordinal);
    }
}
