using System.Numerics;
using System.Runtime.InteropServices;
using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <content>Which kind of block, and whose.</content>
public sealed unsafe partial class NumaAllocator
{
    private static InvalidOperationException NotABlock(nint address) => new(
        $"0x{address:x} is not the start of a block that this allocator has in use: "
        + "it was freed already, points inside a block, or belongs to somebody else.");

    private void* AllocateZeroedOn(AllocatorNode node, nuint size)
    {
        var block = AllocateOn(node, size);
        if (size <= SizeClasses.Largest)
        {
            // Larger blocks are fresh pages, which the kernel has cleared.
            NativeMemory.Clear(block, size);
        }

        return block;
    }

    private void* AllocateOn(AllocatorNode node, nuint size) => size <= SizeClasses.Largest
        ? (void*)node.Allocate(SizeClasses.ClassOf(size))
        : AllocateLarge(node, size, 1);

    private void* AllocateAlignedOn(AllocatorNode node, nuint size, nuint alignment)
    {
        if (!BitOperations.IsPow2(alignment))
        {
            throw new ArgumentException($"The alignment is {alignment}; it must be a power of two.", nameof(alignment));
        }

        if (Math.Max(size, alignment) > SizeClasses.Largest)
        {
            return AllocateLarge(node, size, alignment);
        }

        // A run starts at a multiple of its own size, so a class whose size is a multiple of the alignment is aligned.
        var sizeClass = SizeClasses.ClassOf(size);
        while (alignment > SizeClasses.Granule && (nuint)SizeClasses.SizeOf(sizeClass) % alignment != 0)
        {
            sizeClass++;
        }

        return (void*)node.Allocate(sizeClass);
    }

    private void* AllocateLarge(AllocatorNode node, nuint size, nuint alignment)
    {
        var block = node.AllocateLarge(size, alignment);
        _large[block.Address] = block;
        return (void*)block.Address;
    }

    private AllocatorNode? FreeSmall(nint address) =>
        FindRun(address) is { } run && run.Heap.TryFree(run, address) ? _nodes[_range.IndexOf(address)] : null;

    private AllocatorNode? FreeLarge(nint address)
    {
        if (!_large.TryRemove(address, out var block))
        {
            return null;
        }

        block.Node.FreeLarge(block);
        return block.Node;
    }

    private AllocatorRun? FindRun(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? _nodes[index].FindRun(address) : null;

    private AllocatorNode OwnerOf(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? _nodes[index]
        : _large.TryGetValue(address, out var block) ? block.Node
        : throw NotABlock(address);

    private AllocatorNode FindNode(int nodeId)
    {
        var index = Array.IndexOf(_nodeIds, nodeId);
        return _nodes[index >= 0 ? index : _plan.NearestTo(nodeId).NodeIndex];
    }
}
