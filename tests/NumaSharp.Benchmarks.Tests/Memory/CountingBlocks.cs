using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Benchmarks.Tests.Memory;

/// <summary>An allocator that counts; a ref struct, as a handle for loops is.</summary>
internal unsafe ref struct CountingBlocks : IBlocks<CountingBlocks>
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
}
