namespace NumaSharp.Core;

/// <summary>Figures of one node of a <see cref="NumaAllocator"/>; a snapshot.</summary>
public readonly record struct NumaAllocatorStatistics
{
    /// <summary>The kernel id of the node.</summary>
    public NumaNodeId NodeId { get; init; }

    /// <summary>Bytes in blocks that are in use, rounded up to their size classes.</summary>
    public long AllocatedBytes { get; init; }

    /// <summary>How many blocks are in use.</summary>
    public long AllocatedBlocks { get; init; }

    /// <summary>Bytes of memory taken from the system.</summary>
    public long CommittedBytes { get; init; }

    /// <summary>The most that <see cref="CommittedBytes"/> may be, 0 for no limit.</summary>
    public long LimitBytes { get; init; }

    /// <summary>
    /// How many blocks of this node were returned by threads on other nodes, which freed them or had cached them unused. Counted
    /// when they are passed back.
    /// </summary>
    public long RemoteFrees { get; init; }
}
