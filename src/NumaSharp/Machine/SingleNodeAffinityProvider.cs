namespace NumaSharp.Core;

/// <summary>Affinity for systems where threads cannot or need not be pinned: everything is allowed, nothing is done.</summary>
public sealed class SingleNodeAffinityProvider : INumaAffinityProvider
{
    /// <inheritdoc/>
    public string Name => SingleNodeTopologyProvider.ProviderName;

    /// <inheritdoc/>
    public NumaResult GetThreadCpus(out CpuSet cpus)
    {
        cpus = AllCpus();
        return NumaResult.Success;
    }

    /// <summary>Succeeds for all CPUs of the machine, where threads run anyway, and for nothing less.</summary>
    /// <param name="cpus">The CPUs.</param>
    /// <returns>Success, or <see cref="NumaFailure.NotSupported"/>.</returns>
    public NumaResult SetThreadCpus(CpuSet cpus)
    {
        ArgumentNullException.ThrowIfNull(cpus);
        return AllCpus().IsSubsetOf(cpus)
            ? NumaResult.Success
            : new NumaResult(NumaFailure.NotSupported, 0, "no affinity on this system");
    }

    /// <inheritdoc/>
    public NumaResult GetCurrent(out int cpu, out NumaNodeId nodeId)
    {
        cpu = Thread.GetCurrentProcessorId();
        nodeId = default;
        return NumaResult.Success;
    }

#pragma warning disable RS0030 // The same source as the single-node topology.
    private static CpuSet AllCpus() => CpuSet.Range(0, Environment.ProcessorCount);
#pragma warning restore RS0030
}
