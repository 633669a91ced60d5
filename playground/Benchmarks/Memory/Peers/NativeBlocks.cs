using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>What .NET itself offers: the C library's malloc.</summary>
internal readonly unsafe struct NativeBlocks : IBlocks<NativeBlocks>
{
    public static string Name => $"NativeMemory {Environment.Version}";

    public static NativeBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => NativeMemory.Alloc(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => NativeMemory.Free(block);
}
