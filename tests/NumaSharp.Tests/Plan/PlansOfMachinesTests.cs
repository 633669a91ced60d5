using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Sockets;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>docs/reference/plans.md: what the default settings make of machines, for readers who know them to judge.</summary>
public sealed class PlansOfMachinesTests(RealMachines machines)
{
    [Fact]
    public void Plans_OfTheReference_AreThoseOfTheCode() => GeneratedPart.Verify(
        "UPDATE_REFERENCE",
        string.Concat(
        [
            "| machine | nodes, and the workers of each |\n|---|---|\n",
            .. KnownMachines.All.Select(static known => Row(known.Name, known.Machine.Read())),
            .. RealMachines.Names.Select(name => Row($"`{name}`", machines.Read(name))),
        ]),
        "docs", "reference", "plans.md");

    // Each listening socket has it: three instructions for each run of CPUs whose loops are in a row.
    [Fact]
    public void SteeringProgram_OfEachMachine_HasAStepForEachRunOfCpus() => Assert.All(KnownMachines.All, static known =>
    {
        var plan = known.Machine.Plan();
        var caches = plan.Topology.LastLevelCaches.Count;
        var runs = 2 * Math.Max(caches, plan.Nodes.Count);
        Assert.InRange(new SteeringTable(plan).ToProgram().Length, 1, 2 + (3 * runs));
    });

    private static string Row(string name, NumaTopology topology)
    {
        var nodes = NumaPlan.Create(topology).Nodes
            .Where(static node => node.ServesItself)
            .GroupBy(node => Workers(topology, node), static node => node.NodeId.Value)
            .Select(static alike => $"{CpuSet.FromIds(alike)}: {alike.Key}");
        return $"| {name} | {string.Join("; ", nodes)} |\n";
    }

    private static string Workers(NumaTopology topology, NumaNodePlan node) => string.Join(
        " + ",
        CacheShare.Divide(topology, node)
            .CountBy(static share => share.Threads.Length)
            .OrderByDescending(static alike => alike.Key)
            .Select(static alike => string.Create(CultureInfo.InvariantCulture, $"{alike.Value} x {alike.Key}")));
}
