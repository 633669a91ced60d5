using NumaSharp.Core;
using NumaSharp.Sockets;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Plans of machines with chiplets, and of others, by the default settings.</summary>
public sealed class PlansByCacheTests
{
    // Two sockets; each core has two threads, and the second ones are numbered after all first ones.
    public static TheoryData<string, int, int, int, string, string> Epycs => new()
    {
        { "7763, NPS1", 2, 64, 8, "16 on 0-7,128-135", "16 on 120-127,248-255" },
        { "7763, NPS4", 8, 16, 8, "16 on 0-7,128-135", "16 on 120-127,248-255" },
        { "9654, NPS1", 2, 96, 8, "16 on 0-7,192-199", "16 on 184-191,376-383" },
        { "9654, NPS4", 8, 24, 8, "16 on 0-7,192-199", "16 on 184-191,376-383" },
        { "9965, NPS1", 2, 192, 16, "32 on 0-15,384-399", "32 on 368-383,752-767" },
    };

    [Theory]
    [MemberData(nameof(Epycs))]
    public void Plan_OfAnEpyc_KeepsThreadsAndLoopsInTheirCcx(
        string name, int nodes, int cores, int coresPerCache, string first, string last)
    {
        var plan = KnownMachines.Epyc(nodes, cores, coresPerCache).Plan();
        Assert.True(plan.Nodes.Count == nodes, name);
        Assert.All(plan.Nodes, node =>
        {
            var caches = cores / coresPerCache;
            Assert.Equal(caches, Groups(node.ThreadCpus).Length);
            Assert.Equal(Groups(node.ThreadCpus), Groups(node.LoopCpus));
            Assert.Equal(2 * cores, node.Threads);
        });
        Assert.Equal(first, Groups(plan.Nodes[0].ThreadCpus)[0]);
        Assert.Equal(last, Groups(plan.Nodes[^1].ThreadCpus)[^1]);
    }

    [Fact]
    public void ToString_OfAnEpyc_SaysThatThreadsStayInTheirCache()
    {
        Assert.Contains(", per Cache: ", KnownMachines.Epyc(2, 64, 8).Plan().ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("per ", TestMachines.Row(8, 8).Plan().ToString(), StringComparison.Ordinal);
    }

    // One cache per node: SNC clusters of a Xeon, a Grace; a virtual machine that shows a cache for each of its CPUs, or for two.
    [Theory]
    [InlineData(4, 28, 28)]
    [InlineData(2, 72, 72)]
    [InlineData(1, 8, 1)]
    [InlineData(2, 8, 2)]
    public void Plan_OfOtherMachines_LeavesThreadsTheNode(int nodes, int cores, int cpusPerCache)
    {
        var plan = KnownMachines.Of(nodes, cores, cpusPerCache).Plan();
        Assert.All(plan.Nodes, node => Assert.Equal($"{cores} on {node.Cpus}", Assert.Single(Groups(node.ThreadCpus))));
    }

    // Containers that have a part of each CCX. A thread for a CPU that is alone in its cache may run on all of them.
    [Theory]
    [InlineData("0-3,8", "5 on 0-3,8")]
    [InlineData("0-3,8-11", "4 on 0-3", "4 on 8-11")]
    [InlineData("0-3,8-11,16", "4 on 0-3", "4 on 8-11", "1 on 0-3,8-11,16")]
    [InlineData("0-3,8-11,16-17", "4 on 0-3", "4 on 8-11", "2 on 0-3,8-11,16-17")]
    [InlineData("0-3,8-11,16-18", "11 on 0-3,8-11,16-18")]
    public void Plan_OfAFewCpus_IsByCacheUnlessItCutsThroughMany(string allowed, params string[] expected)
    {
        var machine = KnownMachines.Epyc(nodes: 1, cores: 24, coresPerCache: 8);
        machine.AllowedCpus = CpuSet.ParseList(allowed);
        Assert.Equal(expected, Groups(machine.Plan().Nodes[0].ThreadCpus));
    }

    // A loop that may run in all of them gets what the others leave: none is without a CPU that sends it packets.
    [Theory]
    [InlineData("0-3,8-11,16")]
    [InlineData("0,8-11,16-19")]
    [InlineData("0-3,8-11,16-17")]
    public void Steering_OfAFewCpus_GivesEachLoopOne(string allowed)
    {
        var machine = KnownMachines.Epyc(nodes: 1, cores: 24, coresPerCache: 8);
        machine.AllowedCpus = CpuSet.ParseList(allowed);
        var plan = machine.Plan();
        var table = new SteeringTable(plan);
        Assert.Equal(Enumerable.Range(0, plan.Cpus.Count), plan.Cpus.Select(table.LoopOf).Order());
    }

    private static string[] Groups(IReadOnlyList<CpuSet> sets) =>
        [.. sets.GroupBy(static set => set).Select(static group => $"{group.Count()} on {group.Key}")];
}
