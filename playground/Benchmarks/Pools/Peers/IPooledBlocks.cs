using System.Buffers;

namespace NumaSharp.Playground.Benchmarks.Pools.Peers;

/// <summary>
/// One pool as the loops see it. Each method is a call of its own (NoInlining), the same shape for every side. The loops are
/// compiled for each of these types, so what calls here is direct; behind it the pool is called as its users call it.
/// </summary>
internal interface IPooledBlocks<TSelf>
    where TSelf : struct, IPooledBlocks<TSelf>, allows ref struct
{
    /// <summary>What a row calls this side.</summary>
    static abstract string Name { get; }

    /// <summary>Once at a loop's start, on the loop's thread: the place for a handle that is bound to it.</summary>
    static abstract TSelf Open();

    /// <summary>A block of at least <see cref="IPoolSide.BlockBytes"/>.</summary>
    IMemoryOwner<byte> Rent();

    void Return(IMemoryOwner<byte> block);
}
