using NumaSharp.Core;

namespace NumaSharp.Scheduling;

/// <summary>Maps a node's CPUs to its last-level caches. Immutable.</summary>
internal sealed class NodeCaches
{
    private readonly int _firstCpu;
    private readonly short[] _cacheOfCpu;

    private NodeCaches(int firstCpu, short[] cacheOfCpu) => (_firstCpu, _cacheOfCpu) = (firstCpu, cacheOfCpu);

    /// <returns><see langword="null"/> if all CPUs share one cache, or the caches are unknown.</returns>
    public static NodeCaches? Of(NumaTopology topology, CpuSet cpus)
    {
        NumaCache[] caches = [.. cpus.Select(topology.FindLastLevelCache).OfType<NumaCache>().Distinct()];
        if (caches.Length < 2)
        {
            return null;
        }

        var (first, last) = (cpus.First(), cpus.Last());
        var cacheOfCpu = new short[last - first + 1];
        Array.Fill(cacheOfCpu, (short)-1);
        foreach (var cpu in cpus)
        {
            cacheOfCpu[cpu - first] = (short)Array.IndexOf(caches, topology.FindLastLevelCache(cpu));
        }

        return new NodeCaches(first, cacheOfCpu);
    }

    /// <returns>The position of the CPU's cache on the node; -1 for a CPU of another node, or without a known cache.</returns>
    public int Of(int cpu) => (uint)(cpu - _firstCpu) < (uint)_cacheOfCpu.Length ? _cacheOfCpu[cpu - _firstCpu] : -1;
}
