namespace NumaSharp.Core;

/// <summary>
/// A last-level cache and the CPUs that share it: a core complex (CCX) on AMD, often a whole socket elsewhere. Immutable.
/// </summary>
public sealed record NumaCache
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="level"><see cref="Level"/></param>
    /// <param name="sizeBytes"><see cref="SizeBytes"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    public NumaCache(int level, long sizeBytes, CpuSet cpus)
    {
        Level = level;
        SizeBytes = sizeBytes;
        Cpus = cpus;
    }

    /// <summary>1 to 4 in practice.</summary>
    public int Level { get; init; }

    /// <summary>Its size in bytes; 0 where it is not known.</summary>
    public long SizeBytes { get; init; }

    /// <summary>The online CPUs that share it, allowed to this process or not; at least one.</summary>
    public CpuSet Cpus { get; init; }
}

/// <summary>A physical core: the hardware threads that share its execution units (SMT siblings). Immutable.</summary>
public sealed record NumaCore
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="packageId"><see cref="PackageId"/></param>
    /// <param name="coreId"><see cref="CoreId"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    public NumaCore(int? packageId, int? coreId, CpuSet cpus)
    {
        PackageId = packageId;
        CoreId = coreId;
        Cpus = cpus;
    }

    /// <summary>The socket (physical_package_id); <see langword="null"/> where it is not known.</summary>
    public int? PackageId { get; init; }

    /// <summary>
    /// The core's number in its package as firmware gives it; may have gaps. <see langword="null"/> where it is not known.
    /// </summary>
    public int? CoreId { get; init; }

    /// <summary>The online CPUs of the core, allowed to this process or not; at least one.</summary>
    public CpuSet Cpus { get; init; }
}

/// <summary>A network interface with hardware behind it, and the node that it is attached to. Immutable.</summary>
public sealed record NumaNetworkDevice
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="name"><see cref="Name"/></param>
    /// <param name="nodeId"><see cref="NodeId"/></param>
    public NumaNetworkDevice(string name, NumaNodeId? nodeId)
    {
        Name = name;
        NodeId = nodeId;
    }

    /// <summary>The interface's name, such as <c>eth0</c>.</summary>
    public string Name { get; init; }

    /// <summary>
    /// The kernel id of the node (<c>/sys/class/net/*/device/numa_node</c>), or <see langword="null"/> if firmware does not
    /// report it.
    /// </summary>
    public NumaNodeId? NodeId { get; init; }
}
