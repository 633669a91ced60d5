namespace NumaSharp.Core;

/// <summary>
/// A last-level cache and the CPUs that share it: a core complex (CCX) on AMD, often a whole socket elsewhere. Immutable.
/// </summary>
/// <param name="Level">1 to 4 in practice.</param>
/// <param name="SizeBytes">Its size in bytes; 0 where it is not known.</param>
/// <param name="Cpus">The online CPUs that share it, allowed to this process or not; at least one.</param>
public sealed record NumaCache(int Level, long SizeBytes, CpuSet Cpus);
