using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>A node of a simulated machine. Its kind follows from its content: no CPUs, no memory, a device's memory.</summary>
public sealed class SimulatedNodeOptions
{
    /// <summary>The kernel id; ids may have gaps.</summary>
    public NumaNodeId NodeId { get; set; }

    /// <summary>The CPUs of the node; empty for memory only (CXL).</summary>
    public CpuSet Cpus { get; set; } = CpuSet.Empty;

    /// <summary>Memory in bytes; 0 for CPUs only. Simulated: pages beyond it come from another node, or fail.</summary>
    public long MemoryBytes { get; set; }

    /// <summary>Whether the memory is a device's, such as a GPU's; such a node has no CPUs.</summary>
    public bool IsDevice { get; set; }

    /// <summary>
    /// The relative distances to all nodes, in the order of their declaration; empty for a kernel that reports none.
    /// </summary>
    public IReadOnlyList<int> Distances { get; set; } = [];

    /// <summary>The memory tier; <see langword="null"/> if the kernel reports none.</summary>
    public int? MemoryTier { get; set; }

    /// <summary>The speed of the memory; empty if firmware does not report it.</summary>
    public IReadOnlyList<NumaMemoryAccess> Access { get; set; } = [];

    /// <summary>The node's pools of huge pages.</summary>
    public IReadOnlyList<NumaHugePages> HugePages { get; set; } = [];

    internal SimulatedNodeOptions Clone() => (SimulatedNodeOptions)MemberwiseClone();
}
