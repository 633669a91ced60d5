namespace NumaSharp.Core;

/// <summary>The three providers that together are a platform.</summary>
/// <param name="Topology">Reads the machine.</param>
/// <param name="Memory">Reserves and binds memory.</param>
/// <param name="Affinity">Pins threads.</param>
public sealed record NumaPlatform(
    INumaTopologyProvider Topology,
    INumaMemoryProvider Memory,
    INumaAffinityProvider Affinity)
{
    /// <summary>The platform of the machine this process runs on: Linux's own on Linux, one node elsewhere.</summary>
    public static NumaPlatform Default { get; } = OperatingSystem.IsLinux()
        ? new(new LinuxTopologyProvider(), new LinuxMemoryProvider(), new LinuxAffinityProvider())
        : new(new SingleNodeTopologyProvider(), new SingleNodeMemoryProvider(), new SingleNodeAffinityProvider());
}
