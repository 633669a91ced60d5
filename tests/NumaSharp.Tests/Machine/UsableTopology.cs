using NumaSharp.Core;
using NumaSharp.Tests.Core.Planning;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>What holds of every topology, whatever it was read from.</summary>
internal static class UsableTopology
{
    public static void Check(NumaTopology topology)
    {
        Assert.NotEmpty(topology.AllowedCpus);
        Assert.NotEmpty(topology.MemoryNodes);
        Assert.All(topology.Nodes, static node =>
        {
            Assert.True(node.Cpus.IsSubsetOf(node.OnlineCpus));
            Assert.True(node.IsMemoryAllowed || !node.Cpus.IsEmpty);
            Assert.InRange(node.MemoryFreeBytes, 0, node.MemoryBytes);
            Assert.All(node.HugePages, static pool => Assert.InRange(pool.Free, 0, pool.Total));
            Assert.All(node.Access, static access => Assert.InRange(access.AccessClass, 0, 1));
            Assert.False(node.MemoryTier < 0);
        });
        AssertDisjoint(topology.Cores.Select(static core => core.Cpus), topology.FindCore, static core => core.Cpus);
        AssertDisjoint(
            topology.LastLevelCaches.Select(static cache => cache.Cpus),
            topology.FindLastLevelCache,
            static cache => cache.Cpus);
        Assert.All(topology.LastLevelCaches, static cache => Assert.True(cache.Level > 0 && cache.SizeBytes >= 0));
        Assert.All(topology.NetworkDevices, static device => Assert.False(device.NodeId?.Value < 0));
        Assert.InRange(topology.Warnings.Count, 0, 33);
        Assert.DoesNotContain(topology.Warnings, static warning => warning.Any(char.IsControl));
        Assert.Empty(PlanProblems.Of(topology, new NumaPlanRequest()));
        Assert.NotEmpty(NumaPlan.Create(topology).Cpus);
    }

    private static void AssertDisjoint<T>(IEnumerable<CpuSet> groups, Func<int, T?> find, Func<T, CpuSet> cpusOf)
        where T : class =>
        Assert.All(groups, group =>
        {
            Assert.NotEmpty(group);
            Assert.All(group, cpu => Assert.Equal(group, cpusOf(find(cpu)!)));
        });
}
