namespace NumaSharp.Core;

/// <summary>Affinity for systems where threads cannot or need not be pinned: everything is allowed, nothing is done.</summary>
public sealed class LinuxAffinityProvider : INumaAffinityProvider
{
    /// <inheritdoc/>
    public string Name => "Linux";

    /// <inheritdoc/>
    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
#pragma warning disable RS0030 // The same source as the single-node topology.
        cpus = CpuSet.Range(0, Environment.ProcessorCount);
#pragma warning restore RS0030
        return NumaResult.Success;
    }

    /// <inheritdoc/>
    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        return new NumaResult(NumaFailure.NotSupported, 0, "no affinity on this system");
    }

    /// <inheritdoc/>
    public NumaResult GetCurrent(out int cpu, out int nodeId)
    {
        cpu = Thread.GetCurrentProcessorId();
        nodeId = 0;
        return NumaResult.Success;
    }
}
