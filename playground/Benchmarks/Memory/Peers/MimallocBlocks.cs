using System.Runtime.CompilerServices;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>mimalloc as Debian builds it, called without a GC transition.</summary>
internal readonly unsafe struct MimallocBlocks : IBlocks<MimallocBlocks>
{
    public static string Name => $"mimalloc {Mimalloc.Version}";

    public static PeerLibrary Library { get; } = new("libmimalloc.so.2", "libmimalloc2.0");

    public static MimallocBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => Mimalloc.Malloc(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => Mimalloc.Free(block);
}
