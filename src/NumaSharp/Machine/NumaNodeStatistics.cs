namespace NumaSharp.Core;

/// <summary>
/// A node's memory at one moment and where the kernel has taken pages from since boot
/// (Documentation/admin-guide/numastat.rst). The kernel counts an allocation as one whatever its size, a page like a transparent
/// huge page (mm/page_alloc.c, zone_statistics), and one of a pool of huge pages when the pool takes it. Immutable.
/// </summary>
public sealed record NumaNodeStatistics
{
    /// <summary>MemTotal in bytes.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>MemFree in bytes.</summary>
    public long MemoryFreeBytes { get; init; }

    /// <summary>numa_hit: allocations intended for this node and served from it.</summary>
    public long Hit { get; init; }

    /// <summary>numa_miss: allocations intended for another node and served from this one.</summary>
    public long Miss { get; init; }

    /// <summary>numa_foreign: allocations intended for this node and served from another.</summary>
    public long Foreign { get; init; }

    /// <summary>interleave_hit: interleaved allocations intended for this node and served from it.</summary>
    public long InterleaveHit { get; init; }

    /// <summary>local_node: allocations served from this node to a process on it.</summary>
    public long Local { get; init; }

    /// <summary>other_node: allocations served from this node to a process on another.</summary>
    public long Other { get; init; }
}
