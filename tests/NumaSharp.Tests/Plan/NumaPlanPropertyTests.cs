using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds for the plan of any machine and any request that fits it.</summary>
public sealed class NumaPlanPropertyTests
{
    [Fact]
    public void Create_DefaultRequest_AlwaysFits() =>
        PlanCases.Check(static sample => Assert.Empty(PlanProblems.Of(sample.Topology, new NumaPlanRequest())));

    [Fact]
    public void Create_AnyFit_CpusAreAllowedUnreservedAndAskedFor() => PlanCases.CheckPlans(PlanInvariants.CpusAreAllowed);

    [Fact]
    public void Create_AnyFit_EveryThreadAndLoopHasCpusOfItsNode() => PlanCases.CheckPlans(PlanInvariants.ListsMatchCounts);

    [Fact]
    public void Create_AnyFit_EverySetIsAsWideAsAskedFor() => PlanCases.CheckPlans(PlanInvariants.SetsFitTheGranularity);

    [Fact]
    public void Create_AnyFit_IsolatedCpusAreNeverInASetOfSeveral() =>
        PlanCases.CheckPlans(PlanInvariants.IsolatedCpusStandAlone);

    [Fact]
    public void Create_AnyFit_CachesAndCoresAreFilledEvenly() => PlanCases.CheckPlans(PlanInvariants.PlacesAreFilledEvenly);

    [Fact]
    public void Create_AvoidSmtSiblings_UsesOneCpuPerCore() => PlanCases.CheckPlans(PlanInvariants.SiblingsAreAvoided);

    [Fact]
    public void Create_AnyFit_EveryNodeIsServedByTheNearestWithCpus() =>
        PlanCases.CheckPlans(PlanInvariants.NodesAreServedByTheNearest);

    [Fact]
    public void Create_NetworkDevice_LoopsAreNearIt() => PlanCases.CheckPlans(PlanInvariants.LoopsAreNearTheirDevices);

    [Fact]
    public void Create_AnyFit_PoolsAreOnAllowedMemoryNodes() => PlanCases.CheckPlans(MemoryInvariants.NodesMayBeUsed);

    [Fact]
    public void Create_AnyFit_MemoryIsAsThePolicySays() => PlanCases.CheckPlans(MemoryInvariants.ListsFitThePolicy);

    [Fact]
    public void Create_Local_MemoryIsItsOwnOrTheNearest() => PlanCases.CheckPlans(MemoryInvariants.LocalIsOwnOrNearest);

    [Fact]
    public void Create_AnyFit_SlowerTiersAreNeverUsedUnasked() => PlanCases.CheckPlans(MemoryInvariants.SlowTiersComeLast);

    // Properties about plans would hold without any.
    [Fact]
    public void Cases_OfEveryPolicyAndGranularity_FitOften()
    {
        // Of the rarest there are two hundred.
        var fits = PlanCases.All.Sample(5000).Where(static sample =>
            sample.Request.Enabled && PlanProblems.Of(sample.Topology, sample.Request).Count == 0).ToArray();

        Assert.All(Enum.GetValues<NumaMemoryPolicy>(), policy =>
            Assert.InRange(fits.Count(sample => sample.Request.Policy == policy), 20, 5000));
        Assert.All(Enum.GetValues<NumaAffinityGranularity>(), granularity =>
            Assert.InRange(fits.Count(sample => sample.Request.Granularity == granularity), 20, 5000));
    }

    [Fact]
    public void Create_AnyFit_NeighboursAreAllOtherWorkersNearestFirst() => PlanCases.CheckPlans(static (sample, plan) =>
    {
        var workers = plan.Nodes.Where(static node => node.Threads > 0).Select(static node => node.NodeIndex).ToArray();
        foreach (var node in plan.Nodes)
        {
            Assert.Equal(workers.Except([node.NodeIndex]), node.Neighbors.Order());
            var distances = node.Neighbors
                .Select(other => sample.Topology.GetDistance(node.NodeId, plan.Nodes[other].NodeId))
                .ToArray();
            Assert.Equal(distances.Order(), distances);
        }
    });

    [Fact]
    public void Create_AnyFit_IndexesAgree() => PlanCases.CheckPlans(static (_, plan) =>
    {
        for (var index = 0; index < plan.Nodes.Count; index++)
        {
            Assert.Equal(index, plan.Nodes[index].NodeIndex);
            Assert.Same(plan.Nodes[index], plan.FindNode(plan.Nodes[index].NodeId));
            Assert.Same(plan.Nodes[index], plan.GetNearestNode(plan.Nodes[index].NodeId));
        }

        for (var cpu = -1; cpu < 60; cpu++)
        {
            var index = plan.IndexOfCpu(cpu);
            Assert.Equal(plan.Cpus.Contains(cpu), index >= 0);
            Assert.True(index < 0 || plan.Nodes[index].Cpus.Contains(cpu));
        }
    });

    [Fact]
    public void Create_Disabled_IsOneUnboundNode() => PlanCases.CheckPlans(static (sample, plan) =>
    {
        if (!sample.Request.Enabled)
        {
            Assert.Single(plan.Nodes);
            Assert.Equal(NumaBindMode.None, plan.BindMode);
            Assert.Equal(sample.Topology.AllowedCpus, plan.Cpus);
        }
    });

    [Fact]
    public void Create_SameArguments_GiveTheSamePlan() => PlanCases.CheckPlans(static (sample, plan) =>
    {
        var again = NumaPlan.Create(MachineCases.Reversed(sample.Topology), sample.Request with { });
        Assert.Equal(plan.ToString(), again.ToString());
        Assert.Equal(plan.Nodes.Select(static node => node.ToString()), again.Nodes.Select(static node => node.ToString()));
        Assert.Equal(plan.Notes, again.Notes);
        Assert.Equal(plan.Nodes.SelectMany(PlanInvariants.Sets), again.Nodes.SelectMany(PlanInvariants.Sets));
        Assert.Equal(
            plan.Nodes.Select(static node => string.Join(',', node.Neighbors)),
            again.Nodes.Select(static node => string.Join(',', node.Neighbors)));
    });
}
