using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds for the plan of any machine and any request that fits it.</summary>
public sealed class NumaPlanPropertyTests
{
    private sealed record Case(NumaTopology Topology, NumaPlanRequest Request);

    private static Gen<NumaNode[]> Nodes =>
        from count in Gen.Choose(1, 8)
        from gaps in Gen.ArrayOf(Gen.Choose(1, 40), count)
        from owners in Gen.ArrayOf(Gen.Choose(-1, count - 1), 48)
        from kinds in Gen.ArrayOf(Gen.Choose(0, 9), count)
        from distances in Gen.ArrayOf(Gen.Choose(10, 255), count * count)
        select BuildNodes(gaps, owners, kinds, distances);

    private static Gen<CpuSet?> Subset(int max) => Gen.Frequency(
        (3, Gen.Constant<CpuSet?>(null)),
        (2, Gen.ArrayOf(Gen.Choose(0, max)).Select(static CpuSet? (ids) => CpuSet.FromIds(ids))));

    private static Gen<Case> Cases =>
        from nodes in Nodes
        from wantedNodes in Subset(nodes.Max(static node => node.NodeId) + 1)
        from wantedCpus in Subset(50)
        from reserved in Subset(50)
        from counts in Gen.Two(Gen.Choose(-1, 6))
        from mode in Gen.Choose(0, 3)
        from enabled in Gen.Frequency((5, Gen.Constant(true)), (1, Gen.Constant(false)))
        select new Case(new NumaTopology("Test", nodes), new NumaPlanRequest
        {
            Enabled = enabled,
            Nodes = wantedNodes,
            Cpus = wantedCpus,
            ReservedCpus = reserved ?? CpuSet.Empty,
            ThreadsPerNode = counts.Item1,
            LoopsPerNode = counts.Item2,
            BindMode = (NumaBindMode)mode,
        });

    private static NumaNode[] BuildNodes(int[] gaps, int[] owners, int[] kinds, int[] distances)
    {
        var ids = new int[gaps.Length];
        for (var i = 0; i < ids.Length; i++)
        {
            ids[i] = i == 0 ? gaps[0] - 1 : ids[i - 1] + gaps[i];
        }

        owners[0] = 0;
        return
        [
            .. ids.Select((id, index) =>
            {
                var cpus = CpuSet.FromIds(Enumerable.Range(0, owners.Length).Where(cpu => owners[cpu] == index));
                return new NumaNode
                {
                    NodeId = id,
                    Cpus = cpus,
                    OnlineCpus = cpus,
                    IsMemoryAllowed = index == 0 || kinds[index] > 2,
                    Kind = cpus.IsEmpty && kinds[index] > 7 ? NumaNodeKind.Device : NumaNodeKind.Normal,
                    Distances = ids.Index().ToDictionary(
                        static pair => pair.Item, pair => distances[(index * ids.Length) + pair.Index]),
                };
            }),
        ];
    }

    private static void Check(Action<Case> property) =>
        Prop.ForAll(Cases.ToArbitrary(), property).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    // Half of the requests do not fit; for those the property is that Create says what Validate says.
    private static void CheckPlans(Action<Case, NumaPlan> property) => Check(sample =>
    {
        var problems = NumaPlan.Validate(sample.Topology, sample.Request);
        if (problems.Count > 0)
        {
            var exception = Assert.Throws<NumaException>(() => NumaPlan.Create(sample.Topology, sample.Request));
            Assert.All(problems, problem => Assert.Contains(problem.ToString(), exception.Message, StringComparison.Ordinal));
            return;
        }

        property(sample, NumaPlan.Create(sample.Topology, sample.Request));
    });

    [Fact]
    public void Create_DefaultRequest_AlwaysFits() =>
        Check(static sample => Assert.Empty(NumaPlan.Validate(sample.Topology, new NumaPlanRequest())));

    [Fact]
    public void Create_AnyFit_ThreadsAreOnAllowedCpus() => CheckPlans(static (sample, plan) =>
    {
        Assert.NotEmpty(plan.Cpus);
        Assert.True(plan.Cpus.IsSubsetOf(sample.Topology.AllowedCpus));
        Assert.All(plan.Nodes, static node => Assert.NotEmpty(node.Cpus));
        if (sample.Request.Enabled)
        {
            Assert.False(plan.Cpus.Overlaps(sample.Request.ReservedCpus));
            Assert.True(plan.Cpus.IsSubsetOf(sample.Request.Cpus ?? plan.Cpus));
        }
    });

    [Fact]
    public void Create_AnyFit_PoolsAreOnAllowedMemoryNodes() => CheckPlans(static (sample, plan) =>
        Assert.All(plan.Nodes, node => Assert.Contains(node.MemoryNodeId, sample.Topology.MemoryNodes)));

    [Fact]
    public void Create_AnyFit_EveryNodeIsServedByTheNearestWithCpus() => CheckPlans(static (sample, plan) =>
    {
        var workers = plan.Nodes.Where(static node => node.ServingIndex == node.NodeIndex).ToArray();
        Assert.NotEmpty(workers);
        foreach (var node in plan.Nodes)
        {
            var server = plan.Nodes[node.ServingIndex];
            Assert.Contains(server, workers);
            Assert.Equal(server.Cpus, node.Cpus);
            var isWorker = node.ServingIndex == node.NodeIndex;
            Assert.Equal(isWorker, node.Threads > 0);
            Assert.Equal(isWorker, node.Loops > 0);
            var least = workers.Min(other => sample.Topology.Distance(node.NodeId, other.NodeId));
            Assert.True(isWorker || sample.Topology.Distance(node.NodeId, server.NodeId) == least);
        }
    });

    [Fact]
    public void Create_AnyFit_NeighboursAreAllOtherWorkersNearestFirst() => CheckPlans(static (sample, plan) =>
    {
        var workers = plan.Nodes.Where(static node => node.Threads > 0).Select(static node => node.NodeIndex).ToArray();
        foreach (var node in plan.Nodes)
        {
            Assert.Equal(workers.Except([node.NodeIndex]), node.Neighbours.Order());
            var distances = node.Neighbours
                .Select(other => sample.Topology.Distance(node.NodeId, plan.Nodes[other].NodeId))
                .ToArray();
            Assert.Equal(distances.Order(), distances);
        }
    });

    [Fact]
    public void Create_AnyFit_IndexesAgree() => CheckPlans(static (_, plan) =>
    {
        for (var index = 0; index < plan.Nodes.Count; index++)
        {
            Assert.Equal(index, plan.Nodes[index].NodeIndex);
            Assert.Same(plan.Nodes[index], plan.FindNode(plan.Nodes[index].NodeId));
            Assert.Same(plan.Nodes[index], plan.NearestTo(plan.Nodes[index].NodeId));
        }

        for (var cpu = -1; cpu < 60; cpu++)
        {
            var index = plan.IndexOfCpu(cpu);
            Assert.Equal(plan.Cpus.Contains(cpu), index >= 0);
            Assert.True(index < 0 || plan.Nodes[index].Cpus.Contains(cpu));
        }
    });

    [Fact]
    public void Create_Disabled_IsOneUnboundNode() => CheckPlans(static (sample, plan) =>
    {
        if (!sample.Request.Enabled)
        {
            Assert.Single(plan.Nodes);
            Assert.Equal(NumaBindMode.None, plan.BindMode);
            Assert.Equal(sample.Topology.AllowedCpus, plan.Cpus);
        }
    });

    [Fact]
    public void Create_SameArguments_GiveTheSamePlan() => CheckPlans(static (sample, plan) =>
    {
        var again = NumaPlan.Create(new NumaTopology("Test", sample.Topology.Nodes.Reverse()), sample.Request with { });
        Assert.Equal(plan.ToString(), again.ToString());
        Assert.Equal(
            plan.Nodes.Select(static node => string.Join(',', node.Neighbours)),
            again.Nodes.Select(static node => string.Join(',', node.Neighbours)));
    });
}
