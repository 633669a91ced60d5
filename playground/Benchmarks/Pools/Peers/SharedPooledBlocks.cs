using System.Buffers;
using System.Runtime.CompilerServices;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>The pool of .NET itself: an array of ArrayPool.Shared in a new owner.</summary>
internal readonly struct SharedPooledBlocks : IPooledBlocks<SharedPooledBlocks>
{
    public static string Name => $"MemoryPool.Shared {Environment.Version}";

    public static SharedPooledBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public IMemoryOwner<byte> Rent() => MemoryPool<byte>.Shared.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Return(IMemoryOwner<byte> block) => block.Dispose();
}
