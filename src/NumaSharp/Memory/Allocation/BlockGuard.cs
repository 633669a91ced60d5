using System.Runtime.InteropServices;

namespace NumaSharp.Core.Memory.Allocation;

/// <summary>
/// What a mode other than <see cref="NumaMemoryCheckMode.None"/> does around every call. Takes blocks from the allocator and
/// returns them through its unguarded methods. Thread-safe.
/// </summary>
internal abstract unsafe class BlockGuard(NumaAllocator allocator)
{
    /// <summary>Whether a block that changes its size changes its address, too.</summary>
    public virtual bool AlwaysMoves => false;

    protected NumaAllocator Allocator => allocator;

    /// <exception cref="ArgumentException">The options contradict each other.</exception>
    public static BlockGuard? Create(NumaAllocator allocator, NumaAllocatorOptions options)
    {
        if (options.ZeroOnFree && options.Checks == NumaMemoryCheckMode.None)
        {
            throw new ArgumentException(
                $"{nameof(options.ZeroOnFree)} needs {nameof(options.Checks)} = {nameof(NumaMemoryCheckMode.Hardened)}; "
                + $"it is {options.Checks}.",
                nameof(options));
        }

        return options.Checks switch
        {
            NumaMemoryCheckMode.None => null,
            NumaMemoryCheckMode.Full => new BlockChecks(
                allocator, new AllocationSites(options.TraceEvery), options.Fallbacks ?? MemoryDefaults.Fallbacks),
            _ => new BlockHardening(allocator, options.ZeroOnFree),
        };
    }

    public abstract void* Allocate(int nodeIndex, nuint size, nuint alignment);

    public abstract void Free(nint address);

    public abstract nuint UsableSizeOf(nint address);

    public virtual NumaAllocatorStatistics Correct(int nodeIndex, NumaAllocatorStatistics statistics) => statistics;

    /// <summary>Memory is short: frees what the guard keeps.</summary>
    public virtual void ReleaseHeld()
    {
    }

    /// <exception cref="InvalidOperationException">Memory was written to that is in no block in use.</exception>
    public virtual void Verify()
    {
    }

    /// <summary>The allocator is being disposed: nothing is kept from now on.</summary>
    public virtual void Close()
    {
    }

    /// <summary>Reports the errors found at the end.</summary>
    public virtual void ReportAtEnd()
    {
    }
}

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
