namespace NumaSharp.Core;

/// <summary>
/// Any machine as one node with all its CPUs and memory: for systems without NUMA support of their own. Thread-safe.
/// </summary>
public sealed class SingleNodeTopologyProvider : INumaTopologyProvider
{
    /// <summary>The provider's name.</summary>
    public const string ProviderName = "SingleNode";

    // The only message off Linux: everything else then works as on one node.
    private const string NoProvider =
        "There is no NUMA provider for this system: it is treated as one node, and nothing is pinned or bound.";

    /// <inheritdoc/>
    public string Name => ProviderName;

    /// <inheritdoc/>
    public NumaTopology Read()
    {
#pragma warning disable RS0030 // Without a topology there is no plan to ask: this is where the count comes from.
        var cpus = CpuSet.Range(0, Environment.ProcessorCount);
#pragma warning restore RS0030
        var memory = GC.GetGCMemoryInfo();
        var node = new NumaNode
        {
            Id = default,
            Cpus = cpus,
            OnlineCpus = cpus,
            MemoryBytes = memory.TotalAvailableMemoryBytes,
            MemoryFreeBytes = Math.Max(0, memory.TotalAvailableMemoryBytes - memory.MemoryLoadBytes),
            IsMemoryAllowed = true,
            Kind = NumaNodeKind.Normal,
            Distances = new Dictionary<NumaNodeId, int> { [default] = 10 },
        };
        return new NumaTopology(Name, [node], OperatingSystem.IsLinux() ? [] : [NoProvider]);
    }
}
