using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds whatever happens to a machine, in any order.</summary>
public abstract class NumaPlanChangePropertyTests(int samples)
{
    private const int Cpus = 24;
    private const int Nodes = 6;

    private sealed record Case(NumaPlan Start, NumaTopology[] Later);

    private static Gen<NumaTopology> Machines =>
        from first in Gen.Choose(0, Cpus - 1)
        from cpus in Gen.ArrayOf(Gen.Choose(0, 2), Cpus)
        from memory in Gen.ArrayOf(Gen.Choose(0, 1), Nodes)
        let allowed = CpuSet.FromIds(
            cpus.Index().Where(static pair => pair.Item > 0).Select(static pair => pair.Index).Append(first))
        let withMemory = CpuSet.FromIds(memory.Index().Where(static pair => pair.Item > 0).Select(static pair => pair.Index))
        select TestMachines.ReadAllowed(allowed.ToString(), withMemory.IsEmpty ? "0" : withMemory.ToString());

    private static Gen<CpuSet?> Subset(int count) => Gen.Frequency(
        (3, Gen.Constant<CpuSet?>(null)),
        (2, Gen.ArrayOf(Gen.Choose(0, count - 1)).Select(static CpuSet? (ids) => CpuSet.FromIds(ids))));

    private static Gen<Case> Cases =>
        from start in Machines
        from nodes in Subset(Nodes)
        from cpus in Subset(Cpus)
        from reserved in Subset(Cpus)
        from threads in Gen.Choose(0, 3)
        from enabled in Gen.Frequency((5, Gen.Constant(true)), (1, Gen.Constant(false)))
        from later in Gen.ArrayOf(Machines)
        let request = new NumaPlanRequest
        {
            Enabled = enabled,
            Nodes = nodes,
            Cpus = cpus,
            ReservedCpus = reserved ?? CpuSet.Empty,
            ThreadsPerNode = threads,
        }
        let fits = PlanProblems.Of(start, request).Count == 0
        select new Case(NumaPlan.Create(start, fits ? request : new NumaPlanRequest()), later);

    [Fact]
    public void Adapt_AnyChanges_KeepsPositionsAndNumbers() => CheckChanges(static (start, change) =>
        Assert.Equal(start.Nodes.Select(Staff), change.Plan.Nodes.Select(Staff)));

    [Fact]
    public void Adapt_AnyChanges_PutsEveryThreadOnAllowedCpus() => CheckChanges(static (_, change) =>
        Assert.All(change.Plan.Nodes, node =>
        {
            Assert.False(node.Cpus.IsEmpty);
            Assert.True(node.Cpus.IsSubsetOf(change.Plan.Topology.AllowedCpus));
            Assert.Equal((node.Threads, node.Loops), (node.ThreadCpus.Count, node.LoopCpus.Count));
            Assert.All(node.ThreadCpus.Concat(node.LoopCpus), cpus => Assert.True(!cpus.IsEmpty && cpus.IsSubsetOf(node.Cpus)));
        }));

    [Fact]
    public void Adapt_AnyChanges_TakesMemoryWhereItIsAllowed() => CheckChanges(static (_, change) =>
        Assert.All(change.Plan.Nodes, node => Assert.Contains(node.MemoryNodeId.Value, change.Plan.Topology.MemoryNodes)));

    [Fact]
    public void Adapt_AnyChanges_LeavesReservedCpusAloneWhileThereAreOthers() => CheckChanges(static (start, change) =>
    {
        var others = change.Plan.Topology.AllowedCpus.Except(start.Request.ReservedCpus);
        Assert.True(!start.IsEnabled || others.IsEmpty || change.Plan.Cpus.IsSubsetOf(others));
    });

    [Fact]
    public void Adapt_AnyChanges_EveryCpuHasAPositionThatRunsOnIt() => CheckChanges(static (_, change) =>
        Assert.All(change.Plan.Cpus, cpu => Assert.Contains(cpu, change.Plan.Nodes[change.Plan.IndexOfCpu(cpu)].Cpus)));

    [Fact]
    public void Adapt_AnyChanges_ReportIsWhatDiffers() => CheckChanges(static (_, change) =>
    {
        var repeated = change.Previous.Adapt(change.Plan.Topology);
        Assert.Equal(change.ToString(), repeated.ToString());
        Assert.True(change.Plan.Adapt(change.Plan.Topology).IsEmpty);
        Assert.Equal(
            change.Previous.Topology.AllowedCpus.Except(change.RemovedCpus).Union(change.AddedCpus),
            change.Plan.Topology.AllowedCpus);
    });

    [Fact]
    public void Adapt_BackToTheStart_IsThePlanOfTheStart() => CheckChanges(static (start, change) =>
    {
        var back = change.Plan.Adapt(start.Topology);
        Assert.Equal(start.Nodes.Select(static node => node.ToString()), back.Plan.Nodes.Select(static node => node.ToString()));
        Assert.Empty(back.Fallbacks);
        Assert.True(start.Adapt(back.Plan.Topology).IsEmpty);
    });

    private static (int, int, int, bool, int) Staff(NumaNodePlan node) =>
        (node.NodeId.Value, node.NodeIndex, node.ServingIndex, node.Threads > 0, node.Loops);

    private void CheckChanges(Action<NumaPlan, NumaPlanChange> property) =>
        Prop.ForAll(Cases.ToArbitrary(), sample =>
        {
            var plan = sample.Start;
            foreach (var topology in sample.Later)
            {
                var change = plan.Adapt(topology);
                property(sample.Start, change);
                plan = change.Plan;
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(samples));

    public sealed class Few() : NumaPlanChangePropertyTests(50);

    [Trait("tier", "deep")]
    public sealed class Many() : NumaPlanChangePropertyTests(300);
}
