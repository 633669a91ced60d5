using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>
/// Allocates native memory on NUMA nodes. Each node has one contiguous address range, so the owner of a block follows from
/// its address, and a block freed by any thread goes back to its own node (NUMAlloc, ISMM 2023). Blocks are 16-byte aligned;
/// sizes to 256 KiB come in classes, four per doubling, larger ones get a mapping of their own. Thread-safe.
/// </summary>
/// <remarks>
/// The content of a new block is arbitrary unless it was asked for as zeroed. The allocator's own data is not in the blocks;
/// freeing twice, freeing what is not a block's start, and foreign pointers are errors that are always found.
/// </remarks>
public sealed unsafe partial class NumaAllocator : IDisposable
{
    /// <summary>The largest pages in bytes that a memory provider may have: the allocator commits this much at a time.</summary>
    public const int MaxPageSize = AllocatorChunk.Size;

    private readonly AllocatorRange _range;
    private readonly INumaAffinityProvider _affinity;
    private readonly AllocatorNode[] _nodes;
    private readonly int[] _nodeIds;
    private readonly ConcurrentDictionary<nint, LargeBlock> _large = new();
    private NumaPlan _plan;
    private CurrentNode _current;

    /// <summary>Makes an allocator; memory is taken when it is allocated, address space at once.</summary>
    /// <param name="plan">The nodes, and how memory is bound.</param>
    /// <param name="options">The rest; the defaults where it is <see langword="null"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="ArgumentException">The memory provider's pages are larger than 1 MiB.</exception>
    /// <exception cref="OutOfMemoryException">The system gives no address space.</exception>
    public NumaAllocator(NumaPlan plan, NumaAllocatorOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(plan);
        options ??= new NumaAllocatorOptions();
        ArgumentOutOfRangeException.ThrowIfNegative(options.LimitPerNode);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.AddressSpacePerNode, AllocatorRange.MinBytesPerNode);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.AddressSpacePerNode, AllocatorRange.MaxBytesPerNode);
        var memory = options.Memory ?? NumaPlatform.Default.Memory;
        if (memory.PageSize > AllocatorChunk.Size)
        {
            throw new ArgumentException(
                $"The memory provider {memory.Name} has pages of {memory.PageSize} bytes; "
                + $"the allocator commits {AllocatorChunk.Size} bytes at a time.",
                nameof(options));
        }

        _plan = plan;
        _affinity = options.Affinity ?? NumaPlatform.Default.Affinity;
        _current = new CurrentNode(plan, _affinity);
        _range = AllocatorRange.Reserve(memory, plan.Nodes.Count, (nuint)options.AddressSpacePerNode);
        _nodes =
        [
            .. plan.Nodes.Select(node =>
                new AllocatorNode(SettingsOf(node, options), _range.StartOf(node.NodeIndex), _range.BytesPerNode)),
        ];
        _nodeIds = [.. plan.Nodes.Select(static node => node.NodeId)];
    }

    /// <summary>Allocates a block on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Allocate(nuint size) => AllocateOn(_nodes[_current.Index], size);

    /// <summary>Allocates a block on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Allocate(nuint size, int nodeId) => AllocateOn(FindNode(nodeId), size);

    /// <summary>Allocates a block of zeros on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateZeroed(nuint size) => AllocateZeroedOn(_nodes[_current.Index], size);

    /// <summary>Allocates a block of zeros on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateZeroed(nuint size, int nodeId) => AllocateZeroedOn(FindNode(nodeId), size);

    /// <summary>Allocates a block at a multiple of an alignment on the node that the calling thread runs on.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="alignment">A power of two; at least 16 is given in any case.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="ArgumentException">The alignment is not a power of two.</exception>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateAligned(nuint size, nuint alignment) => AllocateAlignedOn(_nodes[_current.Index], size, alignment);

    /// <summary>Allocates a block at a multiple of an alignment on a node.</summary>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <param name="alignment">A power of two; at least 16 is given in any case.</param>
    /// <param name="nodeId">The kernel id of the node; one that the plan lacks means its nearest.</param>
    /// <returns>The block, to be given to <see cref="Free"/>.</returns>
    /// <exception cref="ArgumentException">The alignment is not a power of two.</exception>
    /// <exception cref="OutOfMemoryException">The node's limit is reached, or the system has no memory.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* AllocateAligned(nuint size, nuint alignment, int nodeId) =>
        AllocateAlignedOn(FindNode(nodeId), size, alignment);

    /// <summary>
    /// Gives a block another size: in place where its size class fits, else in a new block on the same node. The content up
    /// to the smaller size is kept; an alignment above 16 is not.
    /// </summary>
    /// <param name="pointer">The block, which must not be used any more; <see langword="null"/> allocates.</param>
    /// <param name="size">Bytes; 0 gives a block of the smallest size.</param>
    /// <returns>The block.</returns>
    /// <exception cref="InvalidOperationException">No block of this allocator starts there.</exception>
    /// <exception cref="OutOfMemoryException">There is no memory; the old block is as it was.</exception>
    /// <exception cref="NumaException">Strict, and the system refuses to bind.</exception>
    /// <exception cref="ObjectDisposedException">The allocator is disposed.</exception>
    public void* Reallocate(void* pointer, nuint size)
    {
        if (pointer is null)
        {
            return Allocate(size);
        }

        var usable = GetUsableSize(pointer);
        if (size <= usable && (size > usable / 2 || usable == SizeClasses.Granule))
        {
            return pointer;
        }

        var moved = AllocateOn(OwnerOf((nint)pointer), size);
        NativeMemory.Copy(pointer, moved, Math.Min(usable, size));
        Free(pointer);
        return moved;
    }

    /// <summary>Frees a block, from any thread, also after the allocator was disposed.</summary>
    /// <param name="pointer">The block; <see langword="null"/> does nothing, as free(3).</param>
    /// <exception cref="InvalidOperationException">
    /// No block of this allocator starts there: freed already, an address inside a block, or memory of somebody else.
    /// </exception>
    public void Free(void* pointer)
    {
        var address = (nint)pointer;
        if (address == 0)
        {
            return;
        }

        var owner = FreeSmall(address) ?? FreeLarge(address) ?? throw NotABlock(address);
        if (!ReferenceEquals(owner, _nodes[_current.Index]))
        {
            owner.CountRemoteFree();
        }

        if (Volatile.Read(ref _disposed))
        {
            ReleaseWhenAllAreFree();
        }
    }

    /// <summary>How many bytes of a block can be used: at least what was asked for.</summary>
    /// <param name="pointer">The block.</param>
    /// <returns>Bytes.</returns>
    /// <exception cref="ArgumentNullException">The pointer is null.</exception>
    /// <exception cref="InvalidOperationException">No block of this allocator starts there.</exception>
    public nuint GetUsableSize(void* pointer)
    {
        ArgumentNullException.ThrowIfNull(pointer);
        var address = (nint)pointer;
        if (FindRun(address) is { } run && run.Heap.IsInUse(run, address))
        {
            return (nuint)run.Heap.BlockSize;
        }

        return _large.TryGetValue(address, out var block) ? block.Length : throw NotABlock(address);
    }

    /// <summary>Tells which node a block belongs to; where its pages are is up to the bind mode.</summary>
    /// <param name="pointer">A block, or any address inside one of at most 256 KiB.</param>
    /// <returns>The kernel id of the node.</returns>
    /// <exception cref="ArgumentNullException">The pointer is null.</exception>
    /// <exception cref="InvalidOperationException">The address is not this allocator's.</exception>
    public int GetNodeId(void* pointer)
    {
        ArgumentNullException.ThrowIfNull(pointer);
        return OwnerOf((nint)pointer).NodeId;
    }
}
