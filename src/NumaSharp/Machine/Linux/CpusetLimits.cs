namespace NumaSharp.Core.Topology;

/// <summary>The CPUs and memory nodes that a process is confined to; <see langword="null"/> without such a limit.</summary>
/// <param name="Cpus">The CPUs.</param>
/// <param name="Mems">The memory nodes.</param>
/// <param name="Isolated">The CPUs of isolated partitions, as far as the process sees them.</param>
/// <param name="PartitionFiles">The files that tell whether the process is in such a partition, existing or not.</param>
internal readonly record struct CpusetLimits(
    CpusetLimit? Cpus, CpusetLimit? Mems, CpuSet Isolated, IReadOnlyList<string> PartitionFiles);
