namespace NumaSharp.Core;

/// <summary>A physical core: the hardware threads that share its execution units (SMT siblings). Immutable.</summary>
/// <param name="PackageId">The socket (physical_package_id); -1 where it is not known.</param>
/// <param name="CoreId">The core's number in its package as firmware gives it; may have gaps. -1 where it is not known.</param>
/// <param name="Cpus">The online CPUs of the core, allowed to this process or not; at least one.</param>
public sealed record NumaCore(int PackageId, int CoreId, CpuSet Cpus);
