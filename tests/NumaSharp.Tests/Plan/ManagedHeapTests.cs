using System.Runtime;
using NumaSharp.Core;
using NumaSharp.Core.Planning;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Two nodes, with CPUs 0-3 and 4-7.</summary>
public sealed class ManagedHeapTests
{
    private static readonly NumaTopology s_topology = new("Test", [TestMachines.Node(0, "0-3"), TestMachines.Node(1, "4-7")]);

    private static readonly NumaPlan s_plan = NumaPlan.Create(s_topology);

    [Fact]
    public void Find_HeapOnEachCpu_IsWell() => Assert.Null(ManagedHeap.Find(s_plan, new ManagedHeapSettings()));

    [Fact]
    public void Find_WorkstationGc_IsSaidBeforeAllElse()
    {
        var settings = new ManagedHeapSettings { IsServer = false, IsDynamic = true, IsAffinitized = false, HeapCount = 1 };
        var problem = ManagedHeap.Find(s_plan, settings)!;
        Assert.StartsWith("The application uses the workstation GC", problem.Text, StringComparison.Ordinal);
        Assert.Contains("<ServerGarbageCollection>true</ServerGarbageCollection>", problem.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void Find_HeapsBoundToNoCpu_NamesTheSetting() => Assert.Contains(
        "DOTNET_GCNoAffinitize",
        ManagedHeap.Find(s_plan, new ManagedHeapSettings { IsAffinitized = false })!.Remedy,
        StringComparison.Ordinal);

    [Fact]
    public void Find_HeapsThatFollowTheLoad_NamesTheSetting() => Assert.Contains(
        "DOTNET_GCDynamicAdaptationMode=0",
        ManagedHeap.Find(s_plan, new ManagedHeapSettings { IsDynamic = true, HeapCount = 8 })!.Remedy,
        StringComparison.Ordinal);

    // Heap n is on the n-th CPU.
    [Theory]
    [InlineData(1, null, "CPUs 0:", "node 1 ")]
    [InlineData(4, null, "CPUs 0-3:", "node 1 ")]
    [InlineData(2, "4-7", "CPUs 4-5:", "node 0 ")]
    [InlineData(9, "5", "CPUs 5:", "node 0 ")]
    [InlineData(0, "0-3", "CPUs 0-3:", "node 1 ")]
    [InlineData(1, "6-20", "CPUs 6:", "node 0 ")]
    public void Find_NodesWithoutHeaps_AreNamed(int heaps, string? cpus, string expectedCpus, string expectedNodes)
    {
        var problem = ManagedHeap.Find(s_plan, Heaps(heaps, cpus))!;
        Assert.Contains(expectedCpus, problem.Text, StringComparison.Ordinal);
        Assert.Contains(expectedNodes, problem.Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(5, null)]
    [InlineData(8, null)]
    [InlineData(100, null)]
    [InlineData(2, "0,4")]
    [InlineData(2, "3,6-20")]
    [InlineData(1, "8-20")]
    public void Find_EachNodeHasAHeap_IsWell(int heaps, string? cpus) =>
        Assert.Null(ManagedHeap.Find(s_plan, Heaps(heaps, cpus)));

    [Fact]
    public void Find_FewerHeapsThanCpus_AdvisesByWhatDecided()
    {
        var chosen = Heaps(4) with { IsCountChosen = true };
        Assert.Contains("in place of DOTNET_GCHeapCount", RemedyOf(chosen), StringComparison.Ordinal);
        Assert.Contains("Remove DOTNET_GCHeapAffinitizeRanges", RemedyOf(Heaps(0, "0-3")), StringComparison.Ordinal);
        Assert.Contains("numasharp run --per-node", RemedyOf(Heaps(4)), StringComparison.Ordinal);
    }

    [Fact]
    public void Find_LimitOfTheHeap_AdvisesToNameItsCpus() => Assert.Contains(
        "DOTNET_GCHeapAffinitizeRanges=0-7",
        RemedyOf(new ManagedHeapSettings { IsAffinitized = false, HasHardLimit = true }),
        StringComparison.Ordinal);

    [Theory]
    [InlineData(false, false, false, true)]
    [InlineData(false, false, true, false)]
    [InlineData(true, false, false, false)]
    [InlineData(true, true, true, true)]
    public void IsBound_LimitCpusAndRefusal_IsWhatTheRuntimeMakesOfThem(bool limit, bool cpus, bool refused, bool bound) =>
        Assert.Equal(bound, ManagedHeapSettings.IsBound(limit, cpus, refused));

    // CPUs of some machines take turns between the nodes.
    [Fact]
    public void Find_FirstCpusAreOfAllNodes_IsWell()
    {
        var topology = new NumaTopology("Test", [TestMachines.Node(0, "0,2,4,6"), TestMachines.Node(1, "1,3,5,7")]);
        Assert.Null(ManagedHeap.Find(NumaPlan.Create(topology), Heaps(2)));
        Assert.NotNull(ManagedHeap.Find(NumaPlan.Create(topology), Heaps(1)));
    }

    [Fact]
    public void Find_SeveralNodesWithoutHeaps_AreAList()
    {
        var nodes = Enumerable.Range(0, 4).Select(static node => TestMachines.Node(node, $"{node}"));
        var problem = ManagedHeap.Find(NumaPlan.Create(new NumaTopology("Test", nodes)), Heaps(1))!;
        Assert.Contains("threads of nodes 1-3 ", problem.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Find_OneNodeOrNoPlan_IsWell()
    {
        var worst = new ManagedHeapSettings { IsServer = false };
        Assert.Null(ManagedHeap.Find(NumaPlan.Create(new NumaTopology("Test", [TestMachines.Node(0, "0-3")])), worst));
        Assert.Null(ManagedHeap.Find(NumaPlan.Create(s_topology, new NumaPlanRequest { Nodes = CpuSet.FromIds(1) }), worst));
        Assert.Null(ManagedHeap.Find(NumaPlan.Create(s_topology, new NumaPlanRequest { Enabled = false }), worst));
    }

    [Fact]
    public void OfThisProcess_IsWhatTheCollectorSays()
    {
        var settings = ManagedHeapSettings.OfThisProcess;
        Assert.Equal(GCSettings.IsServerGC || Environment.ProcessorCount == 1, settings.IsServer);
        Assert.True(settings.IsServer || !settings.IsDynamic);

        // The guests' tests compare what these say with several nodes. A name that is gone would be read as a default.
        var variables = GC.GetConfigurationVariables();
        Assert.IsType<bool>(variables["NoAffinitize"]);
        Assert.IsType<long>(variables["HeapCount"]);
        Assert.IsType<long>(variables["MaxHeapCount"]);
        Assert.IsType<long>(variables["GCDynamicAdaptationMode"]);
        Assert.IsType<string>(variables["GCHeapAffinitizeRanges"]);
    }

    private static string RemedyOf(ManagedHeapSettings settings) => ManagedHeap.Find(s_plan, settings)!.Remedy;

    private static ManagedHeapSettings Heaps(int count, string? cpus = null) =>
        new() { HeapCount = count, HeapCpus = cpus is null ? null : CpuSet.ParseList(cpus) };
}
