using NumaSharp.Core;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Planning;

namespace NumaSharp.Tests.Core.Affinity;

public sealed class NodePlacementTests
{
    private readonly FakeAffinity _affinity = new();

    private string Pinned => _affinity.Pinned[Environment.CurrentManagedThreadId].ToString();

    // One node with CPUs 0-7, of which the plan may use all but 7 and is to run two workers and loops.
    private NodePlacement Place(string isolated, string cpus = "0-7")
    {
        var topology = new NumaTopology("Test", TestMachines.Row(8).Read().Nodes) { IsolatedCpus = CpuSet.ParseList(isolated) };
        var plan = NumaPlan.Create(topology, new NumaPlanRequest
        {
            Cpus = CpuSet.ParseList(cpus),
            ReservedCpus = CpuSet.FromIds(7),
            ThreadsPerNode = 2,
            LoopsPerNode = 2,
        });
        return new NodePlacement(plan, plan.Nodes[0], _affinity, static fallback => Assert.Fail(fallback.Message));
    }

    [Theory]
    [InlineData("", "0-6")]
    [InlineData("2-5", "0-1,6")]
    public void PinWorker_BeyondThePlan_RunsOnThePlansCpusThatAreBalanced(string isolated, string expected)
    {
        var placement = Place(isolated);
        placement.PinWorker(2);
        Assert.Equal(expected, Pinned);
        placement.PinWorker(int.MaxValue);
        Assert.Equal(expected, Pinned);
        placement.PinLoop(2);
        Assert.Equal(expected, Pinned);
    }

    [Fact]
    public void PinWorker_BeyondThePlanAndAllAreIsolated_EachGetsOneInTurn()
    {
        var placement = Place("0-7", cpus: "2-4");
        var pinned = new List<string>();
        for (var i = 0; i < 6; i++)
        {
            placement.PinWorker(int.MaxValue);
            pinned.Add(Pinned);
        }

        Assert.Equal(["2", "2", "3", "3", "4", "4"], pinned.Order());
        Assert.Equal(3, pinned[..3].Distinct().Count());
    }

    [Theory]
    [InlineData("2-5", "0-1,6")]
    [InlineData("0-7", "0-6")]
    public void CommonOf_CpusOfThePlan_AreTheBalancedWhereAnyAre(string isolated, string expected)
    {
        var topology = new NumaTopology("Test", TestMachines.Row(8, 1).Read().Nodes)
        {
            IsolatedCpus = CpuSet.ParseList(isolated),
        };
        var request = new NumaPlanRequest { Cpus = CpuSet.Range(0, 7) };
        var plan = NumaPlan.Create(topology, request);
        Assert.Equal(expected, plan.CommonOf(plan.Cpus).ToString());
        Assert.Equal(expected, MemorySource.FirstTouchCpusOf(plan, plan.Nodes[0])!.ToString());
    }

    [Theory]
    [InlineData(true, 8)]
    [InlineData(false, 8, 8)]
    [InlineData(false, 8, 0)]
    public void FirstTouchCpusOf_AllMemoryIsOfOneNode_None(bool isNone, params int[] cpusPerNode)
    {
        var plan = NumaPlan.Create(TestMachines.Row(cpusPerNode).Read());

        Assert.Equal(isNone, MemorySource.FirstTouchCpusOf(plan, plan.Nodes[0]) is null);
    }
}
