using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// The shapes of the real machines: sockets, cores by their number of threads, last-level caches by the CPUs that share them.
/// Their names, which are hwloc's, say most of it: 4s2c2t is 4 sockets of 2 cores of 2 threads, 2ca2c is 2 caches of 2 cores,
/// 4pa2n6c is 4 packages of 2 nodes of 6 cores.
/// </summary>
public sealed class RealMachineShapeTests(RealMachines machines)
{
    [Theory]
    [InlineData("128arm-2pa2n8cluster4co", 2, "128x1", "L3 4x32")] // An L3 for each of the 2 x 2 nodes of 8 clusters of 4.
    [InlineData("16amd64-8n2c", 8, "16x1", "L2 16x1")] // 8 sockets of 2 cores, before AMD had an L3.
    [InlineData("16amd64-8n2c-cpusets", 8, "15x1", "L2 15x1")] // CPU 4 is offline.
    [InlineData("16em64t-4s2c2t", 4, "8x2", "L3 4x4")] // Tulsa: an L3 per socket.
    [InlineData("16em64t-4s2ca2c-cpusetreorder", 4, "16x1", "L3 4x4")] // Siblings have core ids of their own: cores.
    [InlineData("20em64t-hybrid-1p6c2t+2ca4co1t", 1, "6x2 8x1", "L3 1x20")] // 6 cores of 2 threads, 2 x 4 of 1.
    [InlineData("256ia64-64n2s2c", 128, "256x1", "")] // 64 nodes of 2 sockets of 2 cores; this kernel shows no caches.
    [InlineData("2arm-2c", 1, "2x1", "")]
    [InlineData("2i386-2c-nohugepage", 1, "2x1", "L2 1x2")] // Core 2: two cores share the L2.
    [InlineData("2i386-2t-hugepagesizecount", 1, "1x2", "L2 1x2")]
    [InlineData("2pa-pcidomain32bits", 2, "2x1", "L2 2x1")] // A virtual machine: one core per package.
    [InlineData("2ps3-2t", 1, "1x2", "")] // Shows siblings but no ids: one package, of no number.
    [InlineData("32amd64-4s2n4c-cgroup2", 4, "32x1", "L3 8x4")] // Magny-Cours: a node is half a socket and has its L3.
    [InlineData("32em64t-2n8c+dax+nvme+mic+dimms", 2, "16x1", "L3 2x8")]
    [InlineData("40intel64-2g2n4c+pcilocality", 4, "40x1", "L3 4x10")] // CPU ids go round the nodes.
    [InlineData("48amd64-4pa2n6c-sparse", 4, "48x1", "L3 8x6")]
    [InlineData("64fake-4n2s2ca2c2t", 8, "32x2", "L3 8x8")] // 4 x 2 sockets; 2ca is L2: the last level is the socket's.
    [InlineData("8em64t-2s2ca2c", 2, "8x1", "L2 4x2")] // No L3: the L2 of two cores each.
    [InlineData("8em64t-2s4c-asymcaches", 2, "8x1", "L1 2x1 L2 3x2")] // The L2 of CPUs 0 and 4 was removed: L1 is the last.
    [InlineData("8ia64-2n2s2c", 4, "8x1", "L3 8x1")] // Empty masks of the L3 stand for the core.
    [InlineData("8ia64-2s2c2t", 2, "4x2", "L3 4x2")]
    [InlineData("fakecpuid1f-64intel64-2p4d2n2c2t", 4, "32x2", "L3 8x8")] // cpuid says 2p4d, the kernel's files 4 of 2 dies.
    [InlineData("fakeheteromemtiers", 1, "6x1", "L3 1x6")] // One L3 across three nodes, as with sub-NUMA clustering.
    [InlineData("fakepcilocalities", 4, "40x1", "")]
    [InlineData("nvidiagpunumanodes", 2, "8x4", "L3 4x8")] // Power 9: the L3 is shared by two cores of 4 threads.
    [InlineData("offline-cpu0-node0", 2, "17x1", "L3 1x9 1x8")] // CPUs 4 to 20 of 24 are online.
    public void Read_RealMachine_HasTheShapeOfItsName(string machine, int packages, string cores, string caches)
    {
        var topology = machines.Read(machine);

        Assert.Equal(packages, topology.Cores.Select(static core => core.PackageId).Distinct().Count());
        Assert.Equal(cores, Groups(topology.Cores.Select(static core => core.Cpus)));
        Assert.Equal(caches, string.Join(' ', topology.LastLevelCaches.GroupBy(static cache => cache.Level)
            .OrderBy(static level => level.Key)
            .Select(static level => $"L{level.Key} {Groups(level.Select(static cache => cache.Cpus))}")));
        AssertCovers(topology, topology.Cores.Select(static core => core.Cpus));
        if (topology.LastLevelCaches.Count > 0)
        {
            AssertCovers(topology, topology.LastLevelCaches.Select(static cache => cache.Cpus));
        }
    }

    // Cores first, so that 6x2 8x1 reads as the machine's name does; caches from small to large.
    private static string Groups(IEnumerable<CpuSet> sets) => string.Join(' ', sets.GroupBy(static cpus => cpus.Count)
        .OrderBy(static group => group.Min(static cpus => cpus.First))
        .Select(static group => $"{group.Count()}x{group.Key}"));

    private static void AssertCovers(NumaTopology topology, IEnumerable<CpuSet> groups) =>
        Assert.True(topology.AllowedCpus.IsSubsetOf(groups.Aggregate(static (all, cpus) => all.Union(cpus))));
}
