using NumaSharp.Core.Linux;

namespace NumaSharp.Core;

/// <summary>The three providers that together are a platform.</summary>
public sealed record NumaPlatform
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="topology"><see cref="Topology"/></param>
    /// <param name="memory"><see cref="Memory"/></param>
    /// <param name="affinity"><see cref="Affinity"/></param>
    public NumaPlatform(INumaTopologyProvider topology, INumaMemoryProvider memory, INumaAffinityProvider affinity)
    {
        Topology = topology;
        Memory = memory;
        Affinity = affinity;
    }

    /// <summary>Reads the machine.</summary>
    public INumaTopologyProvider Topology { get; init; }

    /// <summary>Reserves and binds memory.</summary>
    public INumaMemoryProvider Memory { get; init; }

    /// <summary>Pins threads.</summary>
    public INumaAffinityProvider Affinity { get; init; }

    /// <summary>The platform of the machine this process runs on: Linux's own on Linux, one node elsewhere.</summary>
    public static NumaPlatform Default { get; } = OperatingSystem.IsLinux()
        ? new(new LinuxTopologyProvider(), new LinuxMemoryProvider(), new LinuxAffinityProvider())
        : new(new SingleNodeTopologyProvider(), new SingleNodeMemoryProvider(), new SingleNodeAffinityProvider());
}
