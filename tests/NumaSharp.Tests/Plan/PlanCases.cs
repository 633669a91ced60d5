using FsCheck;
using FsCheck.Fluent;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Random machines with random requests, of which most fit.</summary>
internal static class PlanCases
{
    private const int Throws = 997;

    public static Gen<PlanCase> All =>
        from throws in Gen.ArrayOf(Gen.Choose(0, 1 << 20), Throws)
        select Build(new Dice(throws));

    public static void Check(Action<PlanCase> property) =>
        Prop.ForAll(All.ToArbitrary(), property).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    // For requests that do not fit the property is that Create says what TryCreate says.
    public static void CheckPlans(Action<PlanCase, NumaPlan> property) => Check(sample =>
    {
        var problems = PlanProblems.Of(sample.Topology, sample.Request);
        if (problems.Count > 0)
        {
            var exception = Assert.Throws<NumaException>(() => NumaPlan.Create(sample.Topology, sample.Request));
            Assert.All(problems, problem => Assert.Contains(problem.ToString(), exception.Message, StringComparison.Ordinal));
            return;
        }

        property(sample, NumaPlan.Create(sample.Topology, sample.Request));
    });

    private static PlanCase Build(Dice dice)
    {
        var topology = MachineCases.Build(dice);
        return new PlanCase(topology, BuildRequest(dice, topology));
    }

    private static NumaPlanRequest BuildRequest(Dice dice, NumaTopology topology)
    {
        int[] ids = [.. topology.Nodes.Select(static node => node.NodeId)];
        var policy = (NumaMemoryPolicy)dice.Below(5);
        return new NumaPlanRequest
        {
            Enabled = !dice.OneIn(8),
            Nodes = dice.OneIn(3) ? Subset(dice, ids) : null,
            Cpus = dice.OneIn(3) ? Subset(dice, topology.AllowedCpus) : null,
            ReservedCpus = dice.OneIn(3) ? CpuSet.FromIds(topology.AllowedCpus.Where(_ => dice.OneIn(4))) : CpuSet.Empty,
            Granularity = (NumaAffinityGranularity)dice.Below(4),
            AvoidSmtSiblings = dice.OneIn(3),
            Policy = policy,
            Weights = (policy == NumaMemoryPolicy.WeightedInterleave && dice.OneIn(2)) || dice.OneIn(20)
                ? Some(dice, ids).ToDictionary(static id => new NumaNodeId(id), _ => dice.Below(dice.OneIn(9) ? 257 : 255) + 1)
                : new Dictionary<NumaNodeId, int>(),
            Map = policy == NumaMemoryPolicy.Custom || dice.OneIn(20)
                ? Some(dice, ids).ToDictionary(
                    static id => new NumaNodeId(id), IReadOnlyList<NumaNodeId> (_) => MemoryList(dice, topology))
                : new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>(),
            NetworkDevice = dice.Of(null, null, "auto", "eth0", "eth1"),
            ThreadsPerNode = dice.OneIn(30) ? -1 : dice.Below(12),
            LoopsPerNode = dice.OneIn(30) ? 4097 : dice.Below(5),
            BindMode = dice.OneIn(20) ? (NumaBindMode)dice.Below(4) : dice.Of(NumaBindMode.Advisory, NumaBindMode.Strict),
        };
    }

    private static CpuSet Subset(Dice dice, IEnumerable<int> ids) =>
        CpuSet.FromIds(ids.Where(_ => !dice.OneIn(4)).Concat(dice.OneIn(20) ? [60] : []));

    private static IEnumerable<int> Some(Dice dice, int[] ids) =>
        ids.Where(_ => dice.OneIn(2)).Concat(dice.OneIn(20) ? [777] : []);

    private static NumaNodeId[] MemoryList(Dice dice, NumaTopology topology) =>
    [
        .. topology.MemoryNodes.OrderBy(_ => dice.Below(100))
            .Take(dice.OneIn(20) ? 0 : 1 + dice.Below(4))
            .Select(static id => new NumaNodeId(id)),
    ];
}
