using NumaSharp.Core;
using NumaSharp.Plugins.Windows;

namespace NumaSharp.Tool.Machine;

/// <summary>The machine this process runs on.</summary>
internal static class ThisMachine
{
    public static NumaPlatform Platform { get; } = OperatingSystem.IsWindows()
        ? new(new WindowsTopologyProvider(), new WindowsMemoryProvider(), new WindowsAffinityProvider())
        : NumaPlatform.Default;
}
