using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Topology;

namespace NumaSharp.Plugins.Windows;

/// <summary>
/// The topology of Windows machines (GetLogicalProcessorInformationEx), including processor groups: the id of a CPU is 64 times
/// its group plus its number in the group. Thread-safe.
/// </summary>
/// <remarks>
/// Windows reports neither distances nor, on a machine with several nodes, a node's total memory: the available memory is used
/// instead. Can be created on any system; on systems other than 64-bit Windows reading throws.
/// </remarks>
public sealed class WindowsTopologyProvider : INumaTopologyProvider
{
    /// <summary>The name of the three providers of this assembly.</summary>
    public const string ProviderName = "Windows";

    private readonly IProcessorCalls? _calls;

    /// <summary>Creates a provider for the machine of this process.</summary>
    public WindowsTopologyProvider()
        : this(WindowsSystem.Calls)
    {
    }

    internal WindowsTopologyProvider(IProcessorCalls? calls) => _calls = calls;

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <inheritdoc/>
    /// <exception cref="NumaException">This is not a 64-bit process on Windows, or Windows reports nothing.</exception>
    public NumaTopology Read() => _calls is not null
        ? new WindowsTopologyReader(_calls).Read()
        : throw new NumaException($"The provider {ProviderName} cannot read this machine: {WindowsSystem.Unavailable}.");
}
