using NumaSharp.Interop;

namespace NumaSharp.Core.Linux;

/// <summary>Affinity by sched_setaffinity(2), for machines with up to <see cref="CpuSet.MaxId"/> + 1 CPUs. Thread-safe.</summary>
internal sealed class LinuxAffinityProvider : INumaAffinityProvider
{
    /// <inheritdoc/>
    public string Name => LinuxTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public NumaResult GetThreadCpus(out CpuSet cpus) => ThreadMask.Read(0, out cpus);

    /// <inheritdoc/>
    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        return ThreadMask.Write(cpus);
    }

    /// <inheritdoc/>
    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        var result = Native.GetCpu(out cpu, out var node);
        nodeId = new NumaNodeId(node);
        return NumaResults.From(result);
    }
}
