using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Topology;

namespace NumaSharp.Plugins.Windows;

/// <summary>
/// The topology of Windows machines (GetLogicalProcessorInformationEx), processor groups included: the id of a CPU is 64
/// times its group plus its number in the group. Thread-safe.
/// </summary>
/// <remarks>
/// Windows tells neither distances nor, on a machine with several nodes, a node's total memory: what is available stands for
/// it. Can be created on any system; on others than 64-bit Windows reading throws.
/// </remarks>
public sealed class WindowsTopologyProvider : INumaTopologyProvider
{
    /// <summary>The name of the three providers of this assembly.</summary>
    public const string ProviderName = "Windows";

    private readonly IProcessorCalls? _calls;

    /// <summary>Creates it for the machine that this process runs on.</summary>
    public WindowsTopologyProvider()
        : this(WindowsSystem.Calls)
    {
    }

    internal WindowsTopologyProvider(IProcessorCalls? calls) => _calls = calls;

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <inheritdoc/>
    /// <exception cref="NumaException">This is not a 64-bit process on Windows, or Windows does not tell.</exception>
    public NumaTopology Read() => _calls is not null
        ? new WindowsTopologyReader(_calls).Read()
        : throw new NumaException($"The provider {ProviderName} cannot read this machine: {WindowsSystem.Unavailable}.");
}
