using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// The mode for production: a bit per block, outside the blocks, tells whether it is in use. Every free and every allocation
/// tests it, so that a free list that was tampered with hands out no block twice.
/// </summary>
internal sealed unsafe class BlockHardening(NumaAllocator allocator, bool zeroOnFree) : BlockGuard(allocator)
{
    public override void* Allocate(int nodeIndex, nuint size, nuint alignment)
    {
        var address = Allocator.AllocateUnguarded(nodeIndex, size, alignment);
        return !Allocator.IsInRange(address) || Allocator.FindRun(address)?.TryTake(address) == true
            ? (void*)address
            : throw new InvalidOperationException(
                $"The allocator's own data is damaged: 0x{address:x} is in its free list but is not a free block.");
    }

    public override void Free(nint address)
    {
        if (Allocator.IsInRange(address))
        {
            if (Allocator.FindRun(address) is not { } run || !run.TryPut(address))
            {
                throw NumaAllocator.NotABlock(address);
            }

            if (zeroOnFree)
            {
                NativeMemory.Clear((void*)address, (nuint)run.Central.BlockSize);
            }
        }

        Allocator.FreeUnguarded(address);
    }

    public override nuint UsableSizeOf(nint address) =>
        Allocator.FindRun(address) is { } run && run.IsInUse(address) ? (nuint)run.Central.BlockSize
        : Allocator.FindLarge(address) is { } large ? large.Length
        : throw NumaAllocator.NotABlock(address);
}
