namespace NumaSharp.Core.Topology;

/// <summary>The CPUs and memory nodes that a process is confined to; <see langword="null"/> where nothing says so.</summary>
internal readonly record struct CpusetLimits(CpusetLimit? Cpus, CpusetLimit? Mems);
