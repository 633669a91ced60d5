namespace NumaSharp.Core.Topology;

/// <summary>The CPUs and memory nodes that a process is confined to; <see langword="null"/> where nothing says so.</summary>
/// <param name="Cpus">The CPUs.</param>
/// <param name="Mems">The memory nodes.</param>
/// <param name="Isolated">The CPUs of isolated partitions, as far as the process sees them.</param>
internal readonly record struct CpusetLimits(CpusetLimit? Cpus, CpusetLimit? Mems, CpuSet Isolated);
