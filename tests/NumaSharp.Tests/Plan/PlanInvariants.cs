using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds for the plan of any machine and any request that fits it.</summary>
internal static class PlanInvariants
{
    private const int CpusOfALargeCache = 4;

    public static void CheckAll(PlanCase sample, NumaPlan plan)
    {
        CpusAreAllowed(sample, plan);
        ListsMatchCounts(sample, plan);
        SetsFitTheGranularity(sample, plan);
        IsolatedCpusStandAlone(sample, plan);
        PlacesAreFilledEvenly(sample, plan);
        SiblingsAreAvoided(sample, plan);
        NodesAreServedByTheNearest(sample, plan);
        LoopsAreNearTheirDevices(sample, plan);
        MemoryInvariants.CheckAll(sample, plan);
        Assert.All(plan.Notes, static note => Assert.Matches(@"^[A-Z].*\.$", note));
    }

    public static void CpusAreAllowed(PlanCase sample, NumaPlan plan)
    {
        Assert.NotEmpty(plan.Cpus);
        Assert.True(plan.Cpus.IsSubsetOf(sample.Topology.AllowedCpus));
        Assert.All(plan.Nodes, static node => Assert.NotEmpty(node.Cpus));
        if (plan.IsEnabled)
        {
            Assert.False(plan.Cpus.Overlaps(sample.Request.ReservedCpus));
            Assert.True(plan.Cpus.IsSubsetOf(sample.Request.Cpus ?? plan.Cpus));
        }
    }

    public static void ListsMatchCounts(PlanCase sample, NumaPlan plan) => Assert.All(plan.Nodes, node =>
    {
        Assert.Equal(node.Threads, node.ThreadCpus.Count);
        Assert.Equal(node.Loops, node.LoopCpus.Count);
        Assert.Equal(node.ServingIndex == node.NodeIndex, node.Threads > 0);
        Assert.All(Sets(node), set => Assert.True(!set.IsEmpty && set.IsSubsetOf(node.Cpus)));
        Assert.True(node.Threads == 0 || node.Threads == CountOf(sample.Request.ThreadsPerNode, node));
        Assert.True(node.Loops == 0 || node.Loops == CountOf(sample.Request.LoopsPerNode, node));
    });

    public static void SetsFitTheGranularity(PlanCase sample, NumaPlan plan)
    {
        var topology = sample.Topology;
        var isAuto = sample.Request.Granularity == NumaAffinityGranularity.Auto;
        foreach (var node in plan.Nodes.Where(_ => plan.IsEnabled))
        {
            Assert.All(Sets(node).Where(set => !set.Overlaps(topology.IsolatedCpus)), set => Assert.True(
                GranularityOf(sample, node) switch
                {
                    NumaAffinityGranularity.Cache => set.Select(topology.FindLastLevelCache).Distinct().Count() == 1
                        || (isAuto && set.Equals(node.Cpus.Except(topology.IsolatedCpus))),
                    NumaAffinityGranularity.Core => set.Count == 1 || set.IsSubsetOf(topology.FindCore(set.First)!.Cpus),
                    NumaAffinityGranularity.Cpu => set.Count == 1,
                    _ => set.Equals(node.Cpus.Except(topology.IsolatedCpus)),
                },
                $"{set} of {node.Cpus}"));
        }
    }

    public static void IsolatedCpusStandAlone(PlanCase sample, NumaPlan plan)
    {
        var isolated = sample.Topology.IsolatedCpus;
        if (!plan.IsEnabled)
        {
            return;
        }

        Assert.All(plan.Nodes.SelectMany(Sets), set => Assert.True(set.Count == 1 || !set.Overlaps(isolated)));
        Assert.True(sample.Request.Cpus is not null || !plan.Cpus.Overlaps(isolated) || plan.Cpus.IsSubsetOf(isolated));
        Assert.Equal(
            plan.Cpus.Overlaps(isolated),
            plan.Notes.Any(static note => note.Contains("is pinned to one of them", StringComparison.Ordinal)));
    }

    public static void PlacesAreFilledEvenly(PlanCase sample, NumaPlan plan)
    {
        var topology = sample.Topology;
        foreach (var node in plan.Nodes.Where(_ => plan.IsEnabled && !plan.Cpus.Overlaps(topology.IsolatedCpus)))
        {
            foreach (var sets in new[] { node.ThreadCpus, node.LoopCpus }.Where(static sets => sets.Count > 0))
            {
                var cores = node.Cpus.GroupBy(cpu => topology.FindCore(cpu)?.Cpus.First ?? cpu).Select(CpuSet.FromIds).ToArray();
                var caches = node.Cpus.GroupBy(topology.FindLastLevelCache).Select(CpuSet.FromIds).ToArray();
                switch (GranularityOf(sample, node))
                {
                    case NumaAffinityGranularity.Cache:
                        AssertEven(
                            sets,
                            sample.Request.Granularity == NumaAffinityGranularity.Auto ? LargeCaches(sample, node.Cpus) : caches);
                        break;
                    case NumaAffinityGranularity.Core:
                        AssertWithinOne(sets, cores);
                        break;
                    case NumaAffinityGranularity.Cpu:
                        AssertWithinOne(sets, [.. node.Cpus.Select(static cpu => CpuSet.FromIds(cpu))]);
                        Assert.True(sets.Count > cores.Length || cores.All(core => CountIn(sets, core) <= 1));
                        Assert.True(sets.Count < cores.Length || cores.All(core => CountIn(sets, core) >= 1));
                        break;
                    default:
                        break;
                }

                AssertSpread(sample.Request.Granularity, sets, caches, cores);
            }
        }
    }

    public static void SiblingsAreAvoided(PlanCase sample, NumaPlan plan)
    {
        if (plan.IsEnabled && sample.Request.AvoidSmtSiblings)
        {
            Assert.All(sample.Topology.Cores, core => Assert.True(core.Cpus.Intersect(plan.Cpus).Count <= 1));
        }
    }

    public static void NodesAreServedByTheNearest(PlanCase sample, NumaPlan plan)
    {
        var workers = plan.Nodes.Where(static node => node.ServingIndex == node.NodeIndex).ToArray();
        foreach (var node in plan.Nodes)
        {
            var server = plan.Nodes[node.ServingIndex];
            Assert.Contains(server, workers);
            Assert.Equal(server.Cpus, node.Cpus);
            var least = workers.Min(other => sample.Topology.GetDistance(node.NodeId, other.NodeId));
            Assert.True(server == node || sample.Topology.GetDistance(node.NodeId, server.NodeId) == least);
            var note = $"Node {node.NodeId} has no CPU in the plan: ";
            Assert.Equal(server != node, plan.Notes.Any(line => line.StartsWith(note, StringComparison.Ordinal)));
        }
    }

    public static void LoopsAreNearTheirDevices(PlanCase sample, NumaPlan plan)
    {
        var workers = plan.Nodes.Where(static node => node.Threads > 0).ToArray();
        int[] devices = [.. sample.Topology.NetworkDevices
            .Where(device => sample.Request.NetworkDevice is "auto" || device.Name == sample.Request.NetworkDevice)
            .Select(static device => device.NodeId).OfType<NumaNodeId>().Select(static id => id.Value)];
        if (!plan.IsEnabled || sample.Request.NetworkDevice is null || devices.Length == 0)
        {
            Assert.All(workers, static node => Assert.True(node.Loops > 0));
            return;
        }

        var known = devices.Where(id => workers.Any(node => node.NodeId.Value == id)).ToArray();
        Assert.All(known, id => Assert.True(plan.FindNode(new(id))!.Loops > 0));
        Assert.InRange(workers.Count(static node => node.Loops > 0), 1, devices.Distinct().Count());
        Assert.Equal(plan.LoopCount, plan.Nodes.Sum(static node => node.Loops));
        var unknown = devices.Except(known).ToArray();
        Assert.True(
            unknown.Length > 0 || workers.Where(static node => node.Loops > 0).All(node => known.Contains(node.NodeId.Value)));
    }

    public static IEnumerable<CpuSet> Sets(NumaNodePlan node) => node.ThreadCpus.Concat(node.LoopCpus);

    private static int CountOf(int requested, NumaNodePlan node) => requested == 0 ? node.Cpus.Count : requested;

    private static int CountIn(IEnumerable<CpuSet> sets, CpuSet place) => sets.Count(set => set.IsSubsetOf(place));

    private static void AssertWithinOne(IReadOnlyList<CpuSet> sets, CpuSet[] places)
    {
        var counts = places.Select(place => CountIn(sets, place)).ToArray();
        Assert.Equal(sets.Count, counts.Sum());
        Assert.True(counts.Max() - counts.Min() <= 1, string.Join(',', counts));
    }

    // Auto is by cache where several have four CPUs or more between which the kernel moves threads, and three quarters of those
    // CPUs together.
    private static NumaAffinityGranularity GranularityOf(PlanCase sample, NumaNodePlan node)
    {
        var cpus = node.Cpus.Except(sample.Topology.IsolatedCpus);
        var large = LargeCaches(sample, cpus);
        return sample.Request.Granularity switch
        {
            NumaAffinityGranularity.Auto =>
                large.Length > 1 && 4 * (cpus.Count - large.Sum(static cache => cache.Count)) <= cpus.Count
                ? NumaAffinityGranularity.Cache
                : NumaAffinityGranularity.Node,
            var granularity => granularity,
        };
    }

    private static CpuSet[] LargeCaches(PlanCase sample, CpuSet cpus) =>
    [
        .. cpus.GroupBy(sample.Topology.FindLastLevelCache)
            .Where(static cache => cache.Key is not null && cache.Count() >= CpusOfALargeCache)
            .Select(CpuSet.FromIds),
    ];

    // No thread would be less crowded on another cache; so caches of the same size differ by one thread at most.
    private static void AssertEven(IReadOnlyList<CpuSet> sets, CpuSet[] caches)
    {
        foreach (var from in caches)
        {
            Assert.All(caches, to => Assert.True(CountIn(sets, from) * to.Count <= (CountIn(sets, to) + 1) * from.Count));
        }
    }

    // While there is a core for each, caches with as many cores as each other differ by one thread at most.
    private static void AssertSpread(
        NumaAffinityGranularity granularity, IReadOnlyList<CpuSet> sets, CpuSet[] caches, CpuSet[] cores)
    {
        if (granularity is not (NumaAffinityGranularity.Core or NumaAffinityGranularity.Cpu) || sets.Count > cores.Length)
        {
            return;
        }

        foreach (var alike in caches.GroupBy(cache => cores.Count(core => core.IsSubsetOf(cache))))
        {
            var counts = alike.Select(cache => CountIn(sets, cache)).ToArray();
            Assert.True(counts.Max() - counts.Min() <= 1, string.Join(',', counts));
        }
    }
}
