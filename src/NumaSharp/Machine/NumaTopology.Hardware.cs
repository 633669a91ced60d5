using System.Collections.Immutable;

namespace NumaSharp.Core;

/// <content>The hardware below and beside the nodes; all of it is optional for a provider.</content>
public sealed partial class NumaTopology
{
    private readonly ImmutableArray<NumaCore> _cores = [];
    private readonly ImmutableArray<NumaCache> _caches = [];
    private readonly Dictionary<int, NumaCore> _coreOfCpu = [];
    private readonly Dictionary<int, NumaCache> _cacheOfCpu = [];

    /// <summary>The physical cores with an online CPU, by first CPU; empty if the provider does not know them.</summary>
    /// <exception cref="NumaException">A core has no CPU, or a CPU is in two cores.</exception>
    public IReadOnlyList<NumaCore> Cores
    {
        get => _cores;
        init
        {
            _cores = [.. value.OrderBy(static core => core.Cpus.First)];
            _coreOfCpu = MapMembers(_cores, static core => core.Cpus, "core");
        }
    }

    /// <summary>The last-level caches, in order of their first CPU; empty if the provider does not know them.</summary>
    /// <exception cref="NumaException">A cache has no CPU, or a CPU is in two of them.</exception>
    public IReadOnlyList<NumaCache> LastLevelCaches
    {
        get => _caches;
        init
        {
            _caches = [.. value.OrderBy(static cache => cache.Cpus.First)];
            _cacheOfCpu = MapMembers(_caches, static cache => cache.Cpus, "last-level cache");
        }
    }

    /// <summary>
    /// CPUs that the kernel's scheduler does not balance (<c>isolcpus=</c>, isolated cpuset partitions): threads stay on the
    /// one where they were started. May name CPUs that this process may not use.
    /// </summary>
    public CpuSet IsolatedCpus { get; init; } = CpuSet.Empty;

    /// <summary>
    /// The most bytes that this process may use on all nodes together (the limit of its cgroup and of those above it); 0 where
    /// there is none, or it is not known.
    /// </summary>
    public long MemoryLimitBytes { get; init; }

    /// <summary>The network interfaces with hardware behind them, by name.</summary>
    public IReadOnlyList<NumaNetworkDevice> NetworkDevices { get; init; } = [];

    /// <summary>Finds the physical core of a CPU.</summary>
    /// <param name="cpu">The CPU's id.</param>
    /// <returns>The core, or <see langword="null"/> where it is not known.</returns>
    public NumaCore? FindCore(int cpu) => _coreOfCpu.GetValueOrDefault(cpu);

    /// <summary>Finds the last-level cache of a CPU.</summary>
    /// <param name="cpu">The CPU's id.</param>
    /// <returns>The cache, or <see langword="null"/> where it is not known.</returns>
    public NumaCache? FindLastLevelCache(int cpu) => _cacheOfCpu.GetValueOrDefault(cpu);

    private static Dictionary<int, T> MapMembers<T>(ImmutableArray<T> groups, Func<T, CpuSet> cpusOf, string what)
        where T : class
    {
        var map = new Dictionary<int, T>();
        foreach (var group in groups)
        {
            var cpus = cpusOf(group);
            if (cpus.IsEmpty)
            {
                throw new NumaException($"The topology has a {what} without CPUs.");
            }

            foreach (var cpu in cpus)
            {
                if (!map.TryAdd(cpu, group))
                {
                    throw new NumaException($"CPU {cpu} belongs to one {what} ({cpusOf(map[cpu])}) and to another ({cpus}).");
                }
            }
        }

        return map;
    }
}
