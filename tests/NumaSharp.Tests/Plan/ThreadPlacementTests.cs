using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>One node with two caches of two cores with two siblings each: 0-3 are the first siblings, 4-7 the second.</summary>
public sealed class ThreadPlacementTests
{
    private static NumaTopology Machine(string isolated = "") => new SimulatedMachineOptions
    {
        Nodes = { new() { NodeId = new(0), Cpus = CpuSet.ParseList("0-7"), MemoryBytes = 1 << 30 } },
        ThreadsPerCore = 2,
        LastLevelCaches = { CpuSet.ParseList("0-1,4-5"), CpuSet.ParseList("2-3,6-7") },
        IsolatedCpus = CpuSet.ParseList(isolated),
    }.Read();

    private static string Threads(NumaTopology topology, NumaPlanRequest request) =>
        string.Join(' ', NumaPlan.Create(topology, request).Nodes[0].ThreadCpus);

    [Theory]
    [InlineData(NumaAffinityGranularity.Node, 2, "0-7 0-7")]
    [InlineData(NumaAffinityGranularity.Cache, 3, "0-1,4-5 2-3,6-7 0-1,4-5")]
    [InlineData(NumaAffinityGranularity.Core, 5, "0,4 2,6 1,5 3,7 0,4")]
    [InlineData(NumaAffinityGranularity.Cpu, 0, "0 2 1 3 4 6 5 7")]
    [InlineData(NumaAffinityGranularity.Cpu, 9, "0 2 1 3 4 6 5 7 0")]
    public void ThreadCpus_Granularity_AlternatesCachesAndTakesSiblingsLast(
        NumaAffinityGranularity granularity, int threads, string expected) =>
        Assert.Equal(expected, Threads(Machine(), new() { Granularity = granularity, ThreadsPerNode = threads }));

    [Fact]
    public void LoopCpus_Granularity_AreChosenAsThoseOfThreads()
    {
        var request = new NumaPlanRequest { Granularity = NumaAffinityGranularity.Core, LoopsPerNode = 2 };

        Assert.Equal("0,4 2,6", string.Join(' ', NumaPlan.Create(Machine(), request).Nodes[0].LoopCpus));
    }

    [Fact]
    public void ThreadCpus_CacheOfWhichFewCpusAreLeft_GetsFewerThreads()
    {
        var request = new NumaPlanRequest
        {
            Granularity = NumaAffinityGranularity.Cache,
            ReservedCpus = CpuSet.ParseList("0,4-5"),
        };

        Assert.Equal("2-3,6-7 2-3,6-7 2-3,6-7 1 2-3,6-7", Threads(Machine(), request));
    }

    [Theory]
    [InlineData(NumaAffinityGranularity.Core, "1 2 3 4 5 6 7 0", "have no core information")]
    [InlineData(NumaAffinityGranularity.Cache, "0-7", "have no cache information")]
    public void ThreadCpus_ProviderTellsNothing_NotesIt(NumaAffinityGranularity granularity, string sets, string note)
    {
        var plan = NumaPlan.Create(
            new NumaTopology("Terse", Machine().Nodes), new NumaPlanRequest { Granularity = granularity });

        Assert.Equal(sets.Split(' ').ToHashSet(), plan.Nodes[0].ThreadCpus.Select(static set => set.ToString()).ToHashSet());
        Assert.StartsWith($"CPUs 0-7 {note}", Assert.Single(plan.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Cpus_AvoidSmtSiblings_AreTheFirstThatMayBeUsedAndCountsFollow()
    {
        var plan = NumaPlan.Create(
            Machine(), new NumaPlanRequest { AvoidSmtSiblings = true, ReservedCpus = CpuSet.FromIds(2) });

        Assert.Equal("0-1,3,6", plan.Cpus.ToString());
        Assert.Equal((4, 4), (plan.Nodes[0].Threads, plan.Nodes[0].Loops));
        Assert.Equal(
            [
                "CPUs 2 are reserved for others and left out.",
                "CPUs 4-5,7 share their cores with CPUs of the plan and are left out.",
            ],
            plan.Notes);
    }

    [Fact]
    public void Cpus_IsolatedAndNotNamed_AreLeftOut()
    {
        var plan = NumaPlan.Create(Machine(isolated: "2-3,6-9"));

        Assert.Equal("0-1,4-5", plan.Cpus.ToString());
        Assert.StartsWith("CPUs 2-3,6-7 are isolated", plan.Notes[0], StringComparison.Ordinal);
        Assert.Contains("left out", plan.Notes[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(NumaAffinityGranularity.Node, "0,4 0,4 2 3 6")]
    [InlineData(NumaAffinityGranularity.Core, "0,4 2 3 6 0,4")]
    [InlineData(NumaAffinityGranularity.Cpu, "0 2 3 4 6")]
    public void ThreadCpus_IsolatedAndNamed_AreOneEach(NumaAffinityGranularity granularity, string expected)
    {
        var request = new NumaPlanRequest { Granularity = granularity, Cpus = CpuSet.ParseList("0,4,2-3,6") };

        Assert.Equal(expected, Threads(Machine(isolated: "2-3,6-7"), request));
    }

    [Fact]
    public void Cpus_OnlyIsolatedOnesLeft_AreUsedOneEach()
    {
        var plan = NumaPlan.Create(Machine(isolated: "0-9"));

        Assert.Equal("0-7", plan.Cpus.ToString());
        Assert.Equal("0 2 1 3 4 6 5 7", string.Join(' ', plan.Nodes[0].ThreadCpus));
        Assert.Contains("is pinned to one of them", Assert.Single(plan.Notes), StringComparison.Ordinal);
    }

    // Sets of each of its cores would take 64 times as much for 8 times the CPUs, and a malformed file may name 65,536.
    [Fact]
    [Trait("kind", "allocation")]
    public void Create_NodeOfManyCpus_TakesMemoryInProportion()
    {
        var few = TestMachines.Row(1 << 10).Read();
        var many = TestMachines.Row(1 << 13).Read();

        Assert.InRange(AllocatedBy(many), 1, 16 * AllocatedBy(few));

        static long AllocatedBy(NumaTopology topology) =>
            Allocations.OfAllocating(() => NumaPlan.Create(topology));
    }
}
