using System.Buffers;
using System.Runtime.CompilerServices;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>The pool that Kestrel makes for itself.</summary>
internal readonly struct KestrelPooledBlocks : IPooledBlocks<KestrelPooledBlocks>
{
    public static readonly MemoryPool<byte> Pool = KestrelPool.Create();

    public static string Name => KestrelPool.Name;

    public static KestrelPooledBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public IMemoryOwner<byte> Rent() => Pool.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Return(IMemoryOwner<byte> block) => block.Dispose();
}
