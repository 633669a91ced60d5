using System.Runtime.InteropServices;
using NumaSharp.Playground.Benchmarks.Memory.Peers;

namespace NumaSharp.Benchmarks.Tests.Memory;

/// <summary>An allocator that is wrong: all blocks are one.</summary>
internal readonly unsafe struct ShortBlocks : IBlocks<ShortBlocks>
{
    private static readonly void* s_only = NativeMemory.AllocZeroed(1 << 20);

    public static string Name => "short";

    public static ShortBlocks Open() => default;

    public void* Allocate(nuint size) => s_only;

    public void Free(void* block)
    {
    }
}
