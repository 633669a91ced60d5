namespace NumaSharp.Core;

/// <summary>
/// How fast a node's memory is for its best initiators, as firmware promises (ACPI HMAT,
/// Documentation/admin-guide/mm/numaperf.rst). Immutable.
/// </summary>
/// <param name="AccessClass">0: the best initiators of any kind; 1: the best that are CPUs.</param>
/// <param name="InitiatorNodes">The kernel ids of the nodes that reach the memory at these figures.</param>
/// <param name="ReadLatency">In nanoseconds; <see langword="null"/> where firmware does not tell.</param>
/// <param name="WriteLatency">In nanoseconds; <see langword="null"/> where firmware does not tell.</param>
/// <param name="ReadBandwidth">In MB/s; <see langword="null"/> where firmware does not tell.</param>
/// <param name="WriteBandwidth">In MB/s; <see langword="null"/> where firmware does not tell.</param>
public sealed record NumaMemoryAccess(
    int AccessClass,
    CpuSet InitiatorNodes,
    int? ReadLatency,
    int? WriteLatency,
    int? ReadBandwidth,
    int? WriteBandwidth);
