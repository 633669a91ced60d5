using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>Machines on the market as their kernels number them: nodes, cores and last-level caches alone.</summary>
internal static class KnownMachines
{
    public static IEnumerable<(string Name, SimulatedMachineOptions Machine)> All =>
    [
        ("2 x EPYC 7763, NPS1", Epyc(2, 64, 8)),
        ("2 x EPYC 7763, NPS4", Epyc(8, 16, 8)),
        ("2 x EPYC 9654, NPS1", Epyc(2, 96, 8)),
        ("2 x EPYC 9654, NPS4", Epyc(8, 24, 8)),
        ("2 x EPYC 9965, NPS1", Epyc(2, 192, 16)),
        ("Ryzen 9 7950X", Epyc(1, 16, 8)),
        ("2 x Xeon 8380, SNC2 (a cache is two nodes')", Of(nodes: 4, cpus: 40, cpusPerCache: 80)),
        ("2 x Grace", Of(nodes: 2, cpus: 72, cpusPerCache: 72)),
        ("virtual machine, a cache per CPU", Of(nodes: 1, cpus: 8, cpusPerCache: 1)),
        ("virtual machine without caches", TestMachines.Row(8, 8)),
    ];

    /// <summary>Each core has two threads, and the second ones are numbered after all first ones.</summary>
    public static SimulatedMachineOptions Epyc(int nodes, int cores, int coresPerCache)
    {
        var all = nodes * cores;
        CpuSet WithSiblings(int first, int count) => CpuSet.Range(first, count).Union(CpuSet.Range(all + first, count));
        var machine = TestMachines.Of(
            [.. Enumerable.Range(0, nodes).Select(node => (node, WithSiblings(node * cores, cores)))]);
        machine.ThreadsPerCore = 2;
        for (var first = 0; first < all; first += coresPerCache)
        {
            machine.LastLevelCaches.Add(WithSiblings(first, coresPerCache));
        }

        return machine;
    }

    /// <summary>Everything is numbered in one row.</summary>
    public static SimulatedMachineOptions Of(int nodes, int cpus, int cpusPerCache)
    {
        var machine = TestMachines.Row([.. Enumerable.Repeat(cpus, nodes)]);
        for (var first = 0; first < nodes * cpus; first += cpusPerCache)
        {
            machine.LastLevelCaches.Add(CpuSet.Range(first, cpusPerCache));
        }

        return machine;
    }
}
