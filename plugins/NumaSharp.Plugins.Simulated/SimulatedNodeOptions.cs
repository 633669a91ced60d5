using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>A node of a simulated machine. Its kind follows from what it has: no CPUs, no memory, a device's memory.</summary>
public sealed class SimulatedNodeOptions
{
    /// <summary>The kernel id; ids may have gaps.</summary>
    public NumaNodeId NodeId { get; set; }

    /// <summary>The CPUs of the node; empty for memory alone (CXL).</summary>
    public CpuSet Cpus { get; set; } = CpuSet.Empty;

    /// <summary>Memory in bytes; 0 for CPUs alone. Simulated: what is taken beyond comes from another node, or fails.</summary>
    public long MemoryBytes { get; set; }

    /// <summary>Whether the memory is a device's, such as a GPU's; such a node has no CPUs.</summary>
    public bool IsDevice { get; set; }

    /// <summary>
    /// The relative distances to all nodes, in the order in which they are declared; empty for a kernel that gives none.
    /// </summary>
    public IReadOnlyList<int> Distances { get; set; } = [];

    /// <summary>The memory tier; <see langword="null"/> where the kernel gives none.</summary>
    public int? MemoryTier { get; set; }

    /// <summary>How fast the memory is; empty where firmware does not tell.</summary>
    public IReadOnlyList<NumaMemoryAccess> Access { get; set; } = [];

    /// <summary>The node's pools of huge pages.</summary>
    public IReadOnlyList<NumaHugePages> HugePages { get; set; } = [];

    internal SimulatedNodeOptions Clone() => (SimulatedNodeOptions)MemberwiseClone();
}
