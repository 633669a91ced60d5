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
        select Build(new RandomChoices(throws));

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

    private static PlanCase Build(RandomChoices random)
    {
        var topology = MachineCases.Build(random);
        return new PlanCase(topology, BuildRequest(random, topology));
    }

    private static NumaPlanRequest BuildRequest(RandomChoices random, NumaTopology topology)
    {
        int[] ids = [.. topology.Nodes.Select(static node => node.NodeId)];
        var policy = (NumaMemoryPolicy)random.Below(5);
        return new NumaPlanRequest
        {
            Enabled = !random.OneIn(8),
            Nodes = random.OneIn(3) ? Subset(random, ids) : null,
            Cpus = random.OneIn(3) ? Subset(random, topology.AllowedCpus) : null,
            ReservedCpus = random.OneIn(3) ? CpuSet.FromIds(topology.AllowedCpus.Where(_ => random.OneIn(4))) : CpuSet.Empty,
            Granularity = (NumaAffinityGranularity)random.Below(5),
            AvoidSmtSiblings = random.OneIn(3),
            Policy = policy,
            Weights = (policy == NumaMemoryPolicy.WeightedInterleave && random.OneIn(2)) || random.OneIn(20)
                ? Some(random, ids).ToDictionary(
                    static id => new NumaNodeId(id), _ => random.Below(random.OneIn(9) ? 257 : 255) + 1)
                : new Dictionary<NumaNodeId, int>(),
            Map = policy == NumaMemoryPolicy.Custom || random.OneIn(20)
                ? Some(random, ids).ToDictionary(
                    static id => new NumaNodeId(id), IReadOnlyList<NumaNodeId> (_) => MemoryList(random, topology))
                : new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>(),
            NetworkDevice = random.Of(null, null, "auto", "eth0", "eth1"),
            ThreadsPerNode = random.OneIn(30) ? -1 : random.Below(12),
            LoopsPerNode = random.OneIn(30) ? 4097 : random.Below(5),
            BindMode = random.OneIn(20) ? (NumaBindMode)random.Below(4) : random.Of(NumaBindMode.Advisory, NumaBindMode.Strict),
        };
    }

    private static CpuSet Subset(RandomChoices random, IEnumerable<int> ids) =>
        CpuSet.FromIds(ids.Where(_ => !random.OneIn(4)).Concat(random.OneIn(20) ? [60] : []));

    private static IEnumerable<int> Some(RandomChoices random, int[] ids) =>
        ids.Where(_ => random.OneIn(2)).Concat(random.OneIn(20) ? [777] : []);

    private static NumaNodeId[] MemoryList(RandomChoices random, NumaTopology topology) =>
    [
        .. topology.Nodes.Where(node => node.IsMemoryAllowed && (node.Kind != NumaNodeKind.Device || random.OneIn(2)))
            .Select(static node => node.NodeId)
            .OrderBy(_ => random.Below(100))
            .Take(random.OneIn(20) ? 0 : 1 + random.Below(4))
            .Select(static id => new NumaNodeId(id)),
    ];
}
