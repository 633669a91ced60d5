namespace NumaSharp.Core;

/// <summary>Figures of one node of a <see cref="NumaAllocator"/>; a snapshot.</summary>
/// <param name="NodeId">The kernel id of the node.</param>
/// <param name="AllocatedBytes">Bytes in blocks that are in use, rounded up to their size classes.</param>
/// <param name="AllocatedBlocks">How many blocks are in use.</param>
/// <param name="CommittedBytes">Bytes of memory taken from the system.</param>
/// <param name="LimitBytes">The most that <paramref name="CommittedBytes"/> may be, 0 for no limit.</param>
/// <param name="RemoteFrees">
/// How many blocks of this node came back from threads on other nodes, counted when they are passed back: freed there, or taken
/// for there and not used.
/// </param>
public readonly record struct NumaAllocatorStatistics(
    int NodeId,
    long AllocatedBytes,
    long AllocatedBlocks,
    long CommittedBytes,
    long LimitBytes,
    long RemoteFrees);
