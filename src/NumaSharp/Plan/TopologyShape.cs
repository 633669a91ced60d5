namespace NumaSharp.Core.Topology;

/// <summary>
/// The parts of a topology that trigger a new plan: nodes, isolated CPUs, cores and caches, but no memory sizes.
/// </summary>
internal static class TopologyShape
{
    public static bool IsSame(NumaTopology left, NumaTopology right) =>
        left.NodeCount == right.NodeCount
        && left.Nodes.Zip(right.Nodes).All(static pair => IsSame(pair.First, pair.Second))
        && left.IsolatedCpus.Equals(right.IsolatedCpus)
        && left.Cores.Select(static core => core.Cpus).SequenceEqual(right.Cores.Select(static core => core.Cpus))
        && left.LastLevelCaches.Select(static cache => cache.Cpus)
            .SequenceEqual(right.LastLevelCaches.Select(static cache => cache.Cpus));

    private static bool IsSame(NumaNode left, NumaNode right) =>
        left with { MemoryBytes = 0, MemoryFreeBytes = 0, HugePages = [] }
        == right with { MemoryBytes = 0, MemoryFreeBytes = 0, HugePages = [] };
}
