using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>Ours, used as a MemoryPool of bytes.</summary>
internal readonly struct NumaPooledBlocks : IPooledBlocks<NumaPooledBlocks>
{
    public static readonly MemoryPool<byte> Pool = new NumaMemoryPool(numaNodeId: NumaTopology.Instance.Nodes[0].NodeId);

    public static string Name => nameof(NumaMemoryPool);

    public static NumaPooledBlocks Open() => default;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public IMemoryOwner<byte> Rent() => Pool.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Return(IMemoryOwner<byte> block) => block.Dispose();
}
