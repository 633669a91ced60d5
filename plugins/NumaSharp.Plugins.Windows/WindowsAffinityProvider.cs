using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;
using NumaSharp.Plugins.Windows.Topology;

namespace NumaSharp.Plugins.Windows;

/// <summary>
/// Affinity of Windows threads (SetThreadGroupAffinity), with the CPU ids of <see cref="WindowsTopologyProvider"/>.
/// Thread-safe.
/// </summary>
/// <remarks>
/// A thread that was confined to one processor group stays in one group: Windows documents no way back. Other threads can get
/// CPUs of several groups (SetThreadSelectedCpuSetMasks, Windows Server 2022); where that is impossible, a thread gets those of
/// one of the groups, which take turns from thread to thread. <see cref="GetThreadCpus"/> returns which.
/// </remarks>
public sealed class WindowsAffinityProvider : INumaAffinityProvider
{
    private readonly ThreadGroups? _threads;

    /// <summary>Creates a provider for the machine of this process.</summary>
    public WindowsAffinityProvider()
        : this(WindowsSystem.Calls, WindowsSystem.Calls)
    {
    }

    internal WindowsAffinityProvider(IThreadCalls? threads, IProcessorCalls? processors) =>
        _threads = threads is null || processors is null ? null : new ThreadGroups(threads, processors);

    /// <inheritdoc/>
    public string Name => WindowsTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = CpuSet.Empty;
        return _threads is null ? WindowsSystem.NotAvailable : Win32Results.From(_threads.Read(out cpus));
    }

    /// <inheritdoc/>
    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        return _threads is null ? WindowsSystem.NotAvailable : Win32Results.From(_threads.Write(cpus));
    }

    /// <inheritdoc/>
    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        (cpu, nodeId) = (0, default);
        if (_threads is null)
        {
            return WindowsSystem.NotAvailable;
        }

        var error = _threads.ReadCurrent(out cpu, out var node);
        nodeId = new NumaNodeId(node);
        return Win32Results.From(error);
    }
}
