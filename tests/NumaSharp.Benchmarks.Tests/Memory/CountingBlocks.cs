using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Benchmarks.Tests.Memory;

/// <summary>An allocator that counts; a ref struct, as a handle for loops is.</summary>
internal unsafe ref struct CountingBlocks : IResizableBlocks<CountingBlocks>
{
    public static string Name => "counting";

    public static int Allocated { get; private set; }

    public static int Freed { get; private set; }

    public static CountingBlocks Open() => default;

    public static void Reset() => (Allocated, Freed) = (0, 0);

    public readonly void* Allocate(nuint size)
    {
        Allocated++;
        return NativeMemory.Alloc(size);
    }

    public readonly void Free(void* block)
    {
        Freed++;
        NativeMemory.Free(block);
    }

    public readonly void* Reallocate(void* block, nuint size) => NativeMemory.Realloc(block, size);

    public readonly void* AllocateAligned(nuint size, nuint alignment)
    {
        Allocated++;
        return NativeMemory.AlignedAlloc(size, alignment);
    }

    public readonly void FreeAligned(void* block)
    {
        Freed++;
        NativeMemory.AlignedFree(block);
    }
}
