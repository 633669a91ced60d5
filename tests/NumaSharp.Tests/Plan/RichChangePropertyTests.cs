using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds for any request when parts of any machine go and come back, in any order.</summary>
public sealed class RichChangePropertyTests
{
    private static Gen<(PlanCase Start, NumaTopology[] Later)> Cases =>
        from start in PlanCases.All
        from throws in Gen.ArrayOf(Gen.Choose(0, 1 << 20), 997)
        let random = new RandomChoices(throws)
        let steps = Enumerable.Range(0, 1 + random.Below(4))
        select (start, steps.Select(_ => MachineCases.Without(random, start.Topology)).ToArray());

    [Fact]
    public void Adapt_AnyRequest_PutsEveryThreadOnCpusOfThePlan() => Check(static (start, change) =>
    {
        Assert.Equal(start.Nodes.Select(Staff), change.Plan.Nodes.Select(Staff));
        start.CheckSuccessor(change.Plan);
        Assert.All(change.Plan.Nodes, node =>
        {
            Assert.False(node.Cpus.IsEmpty);
            Assert.True(node.Cpus.IsSubsetOf(change.Plan.Topology.AllowedCpus));
            Assert.Equal((node.Threads, node.Loops), (node.ThreadCpus.Count, node.LoopCpus.Count));
            Assert.All(node.ThreadCpus.Concat(node.LoopCpus), cpus => Assert.True(!cpus.IsEmpty && cpus.IsSubsetOf(node.Cpus)));
        });
    });

    [Fact]
    public void Adapt_AnyRequest_PinsNoThreadToSeveralIsolatedCpus() => Check(static (start, change) =>
        Assert.All(change.Plan.Nodes.SelectMany(static node => node.ThreadCpus.Concat(node.LoopCpus)), cpus =>
            Assert.True(!start.IsEnabled || cpus.Count == 1 || !cpus.Overlaps(change.Plan.Topology.IsolatedCpus))));

    [Fact]
    public void Adapt_AnyRequest_FillsEveryHostEvenly() => Check(static (_, change) =>
    {
        var plan = change.Plan;
        var hosts = plan.Nodes.GroupBy(static node => node.Cpus).Where(_ => plan.IsEnabled);
        Assert.All(hosts.SelectMany(static nodes => new[]
        {
            (nodes.Key, nodes.SelectMany(static node => node.ThreadCpus)),
            (nodes.Key, nodes.SelectMany(static node => node.LoopCpus)),
        }), host =>
        {
            var (cpus, sets) = host;
            var expected = new ThreadPlacement(plan.Topology, plan.Request.Granularity, cpus).Spread(sets.Count());
            Assert.Equal(expected.Select(Text).Order(), sets.Select(Text).Order());
        });
    });

    [Fact]
    public void Adapt_AnyRequest_TakesMemoryWhereItIsAllowed() => Check(static (_, change) =>
        Assert.All(change.Plan.Nodes, node =>
        {
            Assert.NotEmpty(node.MemoryNodeIds);
            Assert.Distinct(node.MemoryNodeIds);
            Assert.All(node.MemoryNodeIds, id => Assert.True(
                change.Plan.Topology.MemoryNodes.Contains(id.Value) || IsNamedDevice(change.Plan, id)));
            Assert.True(node.MemoryWeights.Count == 0 || node.MemoryWeights.Count == node.MemoryNodeIds.Count);
        }));

    [Fact]
    public void Adapt_MapOfNodesThatStay_IsKept() => Check(static (start, change) =>
    {
        var memory = change.Plan.Topology.MemoryNodes;
        Assert.All(change.Plan.Nodes, node =>
        {
            if (start is { IsEnabled: true, Request.Policy: NumaMemoryPolicy.Custom }
                && change.Plan.Topology.FindNode(node.NodeId) is { } now
                && (now.IsMemoryAllowed || now.Cpus.Overlaps(change.Plan.Cpus))
                && start.Request.Map.TryGetValue(node.NodeId, out var wanted)
                && wanted.Any(id => memory.Contains(id.Value)))
            {
                // A device stays as long as the plan keeps to the requested nodes.
                Assert.Equal(
                    wanted.Where(id => memory.Contains(id.Value)).Order(),
                    node.MemoryNodeIds.Where(id => !IsNamedDevice(change.Plan, id)).Order());
                Assert.Subset(wanted.ToHashSet(), node.MemoryNodeIds.ToHashSet());
            }
        });
    });

    [Fact]
    public void Adapt_AnyRequestBackToTheStart_IsThePlanOfTheStart() => Check(static (start, change) =>
    {
        Assert.Equal(change.ToString(), change.Previous.Adapt(change.Plan.Topology).ToString());
        Assert.True(change.Plan.Adapt(change.Plan.Topology).IsEmpty);
        var back = change.Plan.Adapt(start.Topology);
        Assert.Empty(back.Fallbacks);
        Assert.True(start.Adapt(back.Plan.Topology).IsEmpty);
        Assert.All(back.Plan.Nodes.Zip(start.Nodes), static pair =>
        {
            Assert.Equal(pair.Second.Cpus, pair.First.Cpus);
            Assert.Equal(pair.Second.ThreadCpus, pair.First.ThreadCpus);
            Assert.Equal(pair.Second.LoopCpus, pair.First.LoopCpus);
            Assert.Equal(pair.Second.MemoryNodeIds, pair.First.MemoryNodeIds);
            Assert.Equal(pair.Second.MemoryWeights, pair.First.MemoryWeights);
        });
    });

    private static (int, int, int, bool, int) Staff(NumaNodePlan node) =>
        (node.NodeId.Value, node.NodeIndex, node.ServingIndex, node.Threads > 0, node.Loops);

    private static bool IsNamedDevice(NumaPlan plan, NumaNodeId id) =>
        plan.Topology.FindNode(id) is { Kind: NumaNodeKind.Device, IsMemoryAllowed: true }
        && plan.Request.Nodes?.Contains(id.Value) == true;

    private static string Text(CpuSet cpus) => cpus.ToString();

    private static void Check(Action<NumaPlan, NumaPlanChange> property) =>
        Prop.ForAll(Cases.ToArbitrary(), sample =>
        {
            if (PlanProblems.Of(sample.Start.Topology, sample.Start.Request).Count > 0)
            {
                return;
            }

            var start = NumaPlan.Create(sample.Start.Topology, sample.Start.Request);
            var plan = start;
            foreach (var topology in sample.Later)
            {
                var change = plan.Adapt(topology);
                property(start, change);
                plan = change.Plan;
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(600));
}
