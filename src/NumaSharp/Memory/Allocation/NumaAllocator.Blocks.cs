using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core.Memory;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <content>The kinds of blocks, and their owning nodes.</content>
public sealed unsafe partial class NumaAllocator
{
    private readonly Lock _largeLock = new();
    private readonly Dictionary<nint, LargeBlock> _large = [];

    internal static InvalidOperationException NotABlock(nint address) => new(
        $"0x{address:x} is not the start of a block that this allocator has in use: "
        + "it was already freed, points inside a block, or is not from this allocator.");

    internal void* AllocateOn(int nodeIndex, nuint size)
    {
        return size - 1 < SizeClasses.Largest
            ? AllocateClass(nodeIndex, SizeClasses.ClassOf(size), size)
            : AllocateSlow(size, nodeIndex);
    }

    // Inlined, so that the size stays in its register.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void* AllocateClass(int nodeIndex, int sizeClass, nuint size)
    {
        if (HeapSlots.Gate == Volatile.Read(ref _gate))
        {
            var bin = HeapSlots.Bins + ThreadHeap.BinOf(nodeIndex, sizeClass);
            var top = bin->Top;
            if (top != bin->Bottom)
            {
                bin->Top = --top;
                var block = *top;
                GC.KeepAlive(this);
                return (void*)block;
            }
        }

        return _guard is null ? (void*)TakeSmall(nodeIndex, sizeClass) : _guard.Allocate(nodeIndex, size, 1);
    }

    internal void* AllocateZeroedOn(int nodeIndex, nuint size)
    {
        if (size > SizeClasses.Largest)
        {
            // Fresh pages are zero; with a guard all are fresh.
            if (_guard is not null)
            {
                return _guard.Allocate(nodeIndex, size, 1);
            }

            var large = AllocateLarge(nodeIndex, size, 1);
            if (large.IsUsed)
            {
                NativeMemory.Clear((void*)large.Address, size);
            }

            return (void*)large.Address;
        }

        var block = AllocateOn(nodeIndex, size);
        NativeMemory.Clear(block, size);
        return block;
    }

    internal void* AllocateAlignedOn(int nodeIndex, nuint size, nuint alignment)
    {
        if (!BitOperations.IsPow2(alignment))
        {
            throw new ArgumentException($"The alignment is {alignment}; it must be a power of two.", nameof(alignment));
        }

        if (_guard is not null)
        {
            return _guard.Allocate(nodeIndex, size, alignment);
        }

        return Math.Max(size, alignment) > SizeClasses.Largest
            ? (void*)AllocateLarge(nodeIndex, size, alignment).Address
            : AllocateClass(nodeIndex, AlignedClassOf(size, alignment), size);
    }

    // A run starts at a multiple of its size, and its blocks side by side at multiples of theirs; coloured ones a line further.
    private static int AlignedClassOf(nuint size, nuint alignment)
    {
        var sizeClass = SizeClasses.ClassOf(Math.Max(size, 1));
        while (alignment > SizeClasses.Granule && (nuint)SizeClasses.SizeOf(sizeClass) % alignment != 0)
        {
            sizeClass++;
        }

        return alignment <= SizeClasses.Colour ? sizeClass : SizeClasses.PlainOf(sizeClass);
    }

    private LargeBlock AllocateLarge(int nodeIndex, nuint size, nuint alignment)
    {
        var block = TakeLarge(_nodes[nodeIndex], size, alignment);
        var isListed = false;
        try
        {
            using (UninterruptedLock.Enter(_largeLock))
            {
                _large.Add(block.Address, block);
            }

            isListed = true;
            return block;
        }
        finally
        {
            if (!isListed)
            {
                block.Node.Large.Free(block);
            }
        }
    }

    private LargeBlock TakeLarge(AllocatorNode node, nuint size, nuint alignment)
    {
        var block = node.Large.Allocate(node, size, alignment, out var failure);
        if (block is null)
        {
            TrimUnchecked();
            block = node.Large.Allocate(node, size, alignment, out failure) ?? throw node.OutOfMemory(size, failure);
        }

        return block;
    }

    private bool FreeLarge(nint address)
    {
        LargeBlock? block;
        using (UninterruptedLock.Enter(_largeLock))
        {
            if (!_large.Remove(address, out block))
            {
                return false;
            }
        }

        if (block.Node.Index != _current.Index)
        {
            block.Node.CountRemoteFrees(1);
        }

        block.Node.Large.Free(block);
        return true;
    }

    internal LargeBlock? FindLarge(nint address)
    {
        lock (_largeLock)
        {
            return _large.GetValueOrDefault(address);
        }
    }

    internal AllocatorRun? FindRun(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? _nodes[index].FindRun(address) : null;

    private int OwnerOf(nint address) =>
        _range.IndexOf(address) is >= 0 and var index ? index
        : FindLarge(address) is { } block ? block.Node.Index
        : throw NotABlock(address);

    private int FindNode(NumaNodeId nodeId)
    {
        var index = Array.IndexOf(_nodeIds, nodeId);
        return index >= 0 ? index : _plan.NearestTo(nodeId).NodeIndex;
    }
}
