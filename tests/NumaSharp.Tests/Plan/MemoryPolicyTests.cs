using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Two sockets, 0 and 1, and a memory expander, 2, that is nearer to node 0 than node 1 is.</summary>
public sealed class MemoryPolicyTests
{
    private const int Fast = 4;
    private const int Slow = 22;

    private static SimulatedMachineOptions Machine() => new()
    {
        Nodes = { Node(0, "0-1", 10, 21, 14), Node(1, "2-3", 21, 10, 24), Node(2, "", 14, 24, 10) },
    };

    private static SimulatedNodeOptions Node(int id, string cpus, params int[] distances) =>
        new() { NodeId = new(id), Cpus = CpuSet.ParseList(cpus), MemoryBytes = 1 << 30, Distances = distances };

    private static SimulatedMachineOptions Tiered()
    {
        var machine = Machine();
        machine.Nodes[0].MemoryTier = machine.Nodes[1].MemoryTier = Fast;
        machine.Nodes[2].MemoryTier = Slow;
        return machine;
    }

    private static string Memory(NumaPlan plan) => string.Join(' ', plan.Nodes.Select(static node =>
        string.Join(',', node.MemoryNodeIds) + string.Concat(node.MemoryWeights.Select(static weight => $"*{weight}"))));

    private static Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> Map(params (int Node, int[] Memory)[] entries) =>
        entries.ToDictionary(
            static entry => new NumaNodeId(entry.Node),
            static IReadOnlyList<NumaNodeId> (entry) => [.. entry.Memory.Select(static id => new NumaNodeId(id))]);

    [Theory]
    [InlineData(NumaMemoryPolicy.Local, "0 1 2")]
    [InlineData(NumaMemoryPolicy.Interleave, "0,1,2 0,1,2 0,1,2")]
    [InlineData(NumaMemoryPolicy.WeightedInterleave, "0,1,2*1*1*1 0,1,2*1*1*1 0,1,2*1*1*1")]
    [InlineData(NumaMemoryPolicy.Saturate, "0,2,1 0,2,1 0,2,1")]
    public void Create_TiersNotKnown_UsesAllNodes(NumaMemoryPolicy policy, string expected) =>
        Assert.Equal(expected, Memory(Machine().Plan(new NumaPlanRequest { Policy = policy })));

    [Theory]
    [InlineData(NumaMemoryPolicy.Local, "0,1 1,0 2")]
    [InlineData(NumaMemoryPolicy.Interleave, "0,1 0,1 0,1")]
    [InlineData(NumaMemoryPolicy.WeightedInterleave, "0,1,2*1*1*1 0,1,2*1*1*1 0,1,2*1*1*1")]
    [InlineData(NumaMemoryPolicy.Saturate, "0,1 0,1 0,1")]
    public void Create_SlowerTier_IsOnlyUsedByItsOwnPoolOrByWeight(NumaMemoryPolicy policy, string expected) =>
        Assert.Equal(expected, Memory(Tiered().Plan(new NumaPlanRequest { Policy = policy })));

    [Fact]
    public void Create_SlowerTierNamed_TakesPart()
    {
        var request = new NumaPlanRequest { Policy = NumaMemoryPolicy.Interleave, Nodes = CpuSet.ParseList("0,2") };
        Assert.Equal("0,2 0,2", Memory(Tiered().Plan(request)));
    }

    [Fact]
    public void Create_LocalStrict_HasOneNodeOnly() =>
        Assert.Equal("0 1 2", Memory(Tiered().Plan(new NumaPlanRequest { BindMode = NumaBindMode.Strict })));

    [Fact]
    public void Create_NodeWithoutMemory_TakesFastMemoryThoughSlowIsNearer()
    {
        var machine = Tiered();
        machine.AllowedNodes = CpuSet.FromIds(1, 2);
        var plan = machine.Plan(new NumaPlanRequest { BindMode = NumaBindMode.Strict });

        Assert.Equal("1 1 2", Memory(plan));
        Assert.Contains("Node 0 has no memory that may be used: its pools use memory of node 1 (distance 21).", plan.Notes);
    }

    [Theory]
    [InlineData(200_000, 100_000, 50_000, "0,1,2*18*9*4")]
    [InlineData(300_000, 300_000, 150_000, "0,1,2*2*2*1")]
    [InlineData(300_000, 300_000, 1, "0,1,2*15*15*1")]
    [InlineData(300_000, 300_000, 0, "0,1,2*1*1*1")]
    public void Create_WeightsNotSet_FollowTheBandwidthAsTheKernelsDo(int first, int second, int third, string expected)
    {
        int[] bandwidths = [first, second, third];
        var machine = Machine();
        foreach (var node in machine.Nodes)
        {
            var bandwidth = bandwidths[node.NodeId.Value];
            node.Access =
            [
                new NumaMemoryAccess(0, CpuSet.FromIds(0)) { ReadBandwidth = 1, WriteBandwidth = 1 },
                new NumaMemoryAccess(1, CpuSet.FromIds(0)) { ReadBandwidth = bandwidth * 2, WriteBandwidth = bandwidth },
            ];
        }

        var plan = machine.Plan(new NumaPlanRequest { Policy = NumaMemoryPolicy.WeightedInterleave });

        Assert.Equal(expected, Memory(plan).Split(' ')[0]);
        Assert.Contains(plan.Notes, static note => note.Contains("HMAT", StringComparison.Ordinal));
    }

    [Fact]
    public void Create_WeightsSet_CountAndTheRestIsOne()
    {
        var plan = Machine().Plan(new NumaPlanRequest
        {
            Policy = NumaMemoryPolicy.WeightedInterleave,
            Weights = new Dictionary<NumaNodeId, int> { [new(0)] = 5, [new(2)] = 255 },
        });

        Assert.Equal("0,1,2*5*1*255", Memory(plan).Split(' ')[0]);
        Assert.Contains("memory of nodes 0 x5,1 x1,2 x255]", plan.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void Create_Map_GivesEachNodeItsOwnAndTheRestStaysLocal()
    {
        var plan = Machine().Plan(new NumaPlanRequest
        {
            Policy = NumaMemoryPolicy.Custom,
            Map = Map((0, [2, 1, 0]), (2, [1])),
        });

        Assert.Equal("2,0,1 1 1", Memory(plan));
        Assert.Contains(
            "Node 0 gets memory of nodes 2,0,1 in this order: after the first, the kernel takes the node nearest to it.",
            plan.Notes);
        Assert.Contains("bind Advisory, Custom: node 0", plan.ToString(), StringComparison.Ordinal);
        Assert.Contains("memory of node 2, then 0,1]", plan.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void TryCreate_EveryContradiction_IsReportedAtOnce()
    {
        var problems = PlanProblems.Of(Machine().Read(), new NumaPlanRequest
        {
            Policy = NumaMemoryPolicy.Interleave,
            BindMode = NumaBindMode.None,
            Granularity = (NumaAffinityGranularity)9,
            Map = Map((0, []), (1, [7, 0]), (2, [0, 0]), (5, [0])),
            Weights = new Dictionary<NumaNodeId, int> { [new(0)] = 0, [new(1)] = 256, [new(9)] = 1 },
            NetworkDevice = "eth7",
        });

        string[] expected =
        [
            "Granularity = '9': allowed are Auto, Node, Cache, Core, Cpu.",
            "Policy = 'Interleave': needs bind mode Advisory or Strict: None binds no memory to a node.",
            "Map = '0,1,2,5': needs Policy Custom; Policy is Interleave.",
            "Weights = '0,1,9': needs Policy WeightedInterleave; Policy is Interleave.",
            "Weights:0 = '0': must be from 1 to 255.",
            "Weights:1 = '256': must be from 1 to 255.",
            "Weights:9 = '1': node 9 has no memory that the plan may use; nodes that have are 0-2.",
            "Map:0 = '': names no node; nodes with memory that the plan may use are 0-2.",
            "Map:1 = '7,0': 7 cannot be used; nodes with memory that the plan may use are 0-2.",
            "Map:2 = '0,0': names a node twice.",
            "Map:5 = '0': node 5 is not in the plan; its nodes are 0-2.",
            "NetworkDevice = 'eth7': no network interface with hardware behind it is known here; a container's own has none.",
        ];
        Assert.Equal(expected, problems.Select(static problem => problem.ToString()));
    }

    [Fact]
    public void TryCreate_CustomWithoutMap_IsRefused() => Assert.Equal(
        "Policy = 'Custom': needs Map: which nodes each node's memory comes from.",
        Assert.Single(PlanProblems.Of(Machine().Read(), new NumaPlanRequest { Policy = NumaMemoryPolicy.Custom })).ToString());
}
