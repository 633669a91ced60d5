using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated;

/// <summary>
/// The declaration of a simulated machine. Copied when the machine is created: later changes go through
/// <see cref="SimulatedMachine.Change"/>.
/// </summary>
public sealed class SimulatedMachineOptions
{
    /// <summary>The maximum number of calls that can be kept.</summary>
    internal const int MaxCallCapacity = 1 << 20;

    /// <summary>The nodes; at least one with CPUs and one with memory.</summary>
    public IList<SimulatedNodeOptions> Nodes { get; private set; } = [];

    /// <summary>Unplugged CPUs.</summary>
    public CpuSet OfflineCpus { get; set; } = CpuSet.Empty;

    /// <summary>The CPUs that the process may use (mask, cpuset); <see langword="null"/>, the default, for all.</summary>
    public CpuSet? AllowedCpus { get; set; }

    /// <summary>The nodes with memory the process may use (cpuset.mems); <see langword="null"/>, the default, for all.</summary>
    public CpuSet? AllowedNodes { get; set; }

    /// <summary>CPUs that the kernel's scheduler does not balance (isolcpus).</summary>
    public CpuSet IsolatedCpus { get; set; } = CpuSet.Empty;

    /// <summary>
    /// The hardware threads per core, numbered as in kernels: the first threads of all the node's cores, then the second.
    /// </summary>
    /// <value>Default 1; must divide the CPU count of every node. Not used if <see cref="Cores"/> are declared.</value>
    public int ThreadsPerCore { get; set; } = 1;

    /// <summary>The CPUs of each core, if <see cref="ThreadsPerCore"/> is not sufficient.</summary>
    public IList<CpuSet> Cores { get; private set; } = [];

    /// <summary>The CPUs of each last-level cache; none, the default, for one per node.</summary>
    public IList<CpuSet> LastLevelCaches { get; private set; } = [];

    /// <summary>The size of each last-level cache in bytes. Default 32 MiB.</summary>
    public long LastLevelCacheBytes { get; set; } = 32L << 20;

    /// <summary>The network interfaces.</summary>
    public IList<NumaNetworkDevice> NetworkDevices { get; private set; } = [];

    /// <summary>Faults injected from the start.</summary>
    public IList<SimulatedFault> Faults { get; private set; } = [];

    /// <summary>The number of calls kept; older ones are dropped.</summary>
    /// <value>Default 4096; from 0 to 1,048,576.</value>
    public int CallCapacity { get; set; } = 4096;

    internal void UseNodesOf(SimulatedMachineOptions other)
    {
        Nodes = other.Nodes;
        ThreadsPerCore = other.ThreadsPerCore;
        NetworkDevices = NetworkDevices.Count > 0 ? NetworkDevices : other.NetworkDevices;
    }

    internal SimulatedMachineOptions Clone()
    {
        var clone = (SimulatedMachineOptions)MemberwiseClone();
        clone.Nodes = [.. Nodes.Select(static node => node.Clone())];
        clone.Cores = [.. Cores];
        clone.LastLevelCaches = [.. LastLevelCaches];
        clone.NetworkDevices = [.. NetworkDevices];
        clone.Faults = [.. Faults];
        return clone;
    }
}

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
