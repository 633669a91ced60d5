using System.Runtime.CompilerServices;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>jemalloc as Debian builds it, called without a GC transition.</summary>
internal readonly unsafe struct JemallocBlocks : IBlocks<JemallocBlocks>
{
    public static string Name => $"jemalloc {Jemalloc.Version}";

    public static PeerLibrary Library { get; } = new("libjemalloc.so.2", "libjemalloc2", NeedsStaticTls: true);

    public static JemallocBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void* Allocate(nuint size) => Jemalloc.Malloc(size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Free(void* block) => Jemalloc.Free(block);
}
