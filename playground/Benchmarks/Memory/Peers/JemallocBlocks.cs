using System.Runtime.CompilerServices;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>jemalloc as Debian builds it, called without a GC transition.</summary>
internal readonly unsafe struct JemallocBlocks : IResizableBlocks<JemallocBlocks>
{
    public static string Name => $"jemalloc {Jemalloc.Version}";

    public static PeerLibrary Library { get; } = new("libjemalloc.so.2", "libjemalloc2", NeedsStaticTls: true);

    public static JemallocBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => Jemalloc.Malloc(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => Jemalloc.Free(block);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Reallocate(void* block, nuint size) => Jemalloc.Realloc(block, size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* AllocateAligned(nuint size, nuint alignment) => Jemalloc.AlignedAlloc(alignment, size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void FreeAligned(void* block) => Jemalloc.Free(block);
}
