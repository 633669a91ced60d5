using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>Makes the Linux topology provider for the configured roots.</summary>
internal static class LinuxTopology
{
    public static LinuxTopologyProvider Create(TopologyOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return new LinuxTopologyProvider();
    }
}
