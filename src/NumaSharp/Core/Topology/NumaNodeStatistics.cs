namespace NumaSharp.Core;

/// <summary>
/// A node's memory at one moment and where the kernel has taken pages from since boot
/// (Documentation/admin-guide/numastat.rst). The kernel counts an allocation as one whatever its size, a page like a transparent
/// huge page (mm/page_alloc.c, zone_statistics), and one of a pool of huge pages when the pool takes it. Immutable.
/// </summary>
/// <param name="MemoryBytes">MemTotal in bytes.</param>
/// <param name="MemoryFreeBytes">MemFree in bytes.</param>
/// <param name="Hit">numa_hit: allocations that were wanted here and came from here.</param>
/// <param name="Miss">numa_miss: allocations that came from here although another node was wanted.</param>
/// <param name="Foreign">numa_foreign: allocations that were wanted here and came from another node.</param>
/// <param name="InterleaveHit">interleave_hit: allocations that interleaving wanted here and that came from here.</param>
/// <param name="Local">local_node: allocations from here for a process on this node.</param>
/// <param name="Other">other_node: allocations from here for a process on another node.</param>
public sealed record NumaNodeStatistics(
    long MemoryBytes,
    long MemoryFreeBytes,
    long Hit,
    long Miss,
    long Foreign,
    long InterleaveHit,
    long Local,
    long Other);
