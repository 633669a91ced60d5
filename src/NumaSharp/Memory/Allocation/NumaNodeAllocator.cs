namespace NumaSharp.Core;

/// <summary>
/// One node's part of a <see cref="NumaAllocator"/>: allocates on that node, whatever the thread. Created by
/// <see cref="NumaAllocator.ForNode"/>, owned by the allocator. Thread-safe.
/// </summary>
public sealed unsafe class NumaNodeAllocator
{
    private readonly NumaAllocator _allocator;
    private readonly int _nodeIndex;

    internal NumaNodeAllocator(NumaAllocator allocator, int nodeIndex, NumaNodeId nodeId)
    {
        _allocator = allocator;
        _nodeIndex = nodeIndex;
        NodeId = nodeId;
    }

    /// <summary>The kernel id of the node.</summary>
    public NumaNodeId NodeId { get; }

    /// <summary>Allocates a block.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Allocate(nuint size) => _allocator.AllocateOn(_nodeIndex, size);

    /// <summary>Allocates a block of zeros.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateZeroed(nuint size) => _allocator.AllocateZeroedOn(_nodeIndex, size);

    /// <summary>Allocates a block at a multiple of an alignment.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="alignment">A power of two; at least 16 is given in any case.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="ArgumentException">The alignment is not a power of two.</exception>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateAligned(nuint size, nuint alignment) => _allocator.AllocateAlignedOn(_nodeIndex, size, alignment);

    /// <summary>
    /// Resizes a block of any node of the allocator: in place if it is this node's and its size class fits, otherwise in a new
    /// block of this node. The content up to the smaller size is kept; an alignment above 16 is not.
    /// </summary>
    /// <param name="pointer">The block, which must not be used any more; <see langword="null"/> allocates.</param>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block.</returns>
    /// <exception cref="InvalidOperationException">No block of the allocator starts there.</exception>
    /// <exception cref="OutOfMemoryException">There is no memory; the old block is as it was.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Reallocate(void* pointer, nuint size) => _allocator.ReallocateOn(_nodeIndex, pointer, size);

    /// <summary>Frees a block, of any node of the allocator, from any thread.</summary>
    /// <param name="pointer">The block; <see langword="null"/> does nothing, as free(3).</param>
    /// <exception cref="InvalidOperationException">The address is in no block of the allocator.</exception>
    public void Free(void* pointer) => _allocator.Free(pointer);

    /// <summary>The figures of the node.</summary>
    /// <returns>A snapshot.</returns>
    public NumaAllocatorStatistics GetStatistics() => _allocator.GetStatistics(NodeId);
}

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
