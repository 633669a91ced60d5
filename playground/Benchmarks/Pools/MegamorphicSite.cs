using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Playground.Benchmarks.Pools.Peers;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>
/// Two call sites, one that rents and one that returns, that all pools pass through, as in a library: the type of
/// the next one cannot be predicted.
/// </summary>
internal static class MegamorphicSite
{
    // Call sites remember the last type; the runtime stops that after about a hundred misses.
    private const int Meetings = 200;

    private static readonly MemoryPool<byte>[] s_all =
    [
        NumaPooledBlocks.Pool,
        KestrelPooledBlocks.Pool,
        MemoryPool<byte>.Shared,
        new PlainPool<byte>(),
        new PlainPool<short>(),
        new PlainPool<int>(),
    ];

    /// <summary>Lets the sites see every pool in turns, ours and the peer's no more often than others.</summary>
    public static void MeetAll()
    {
        for (var i = 0; i < Meetings; i++)
        {
            foreach (var pool in s_all)
            {
                Return(Rent(pool));
            }
        }
    }

    public static void Single(MemoryPool<byte> pool, int count)
    {
        for (var i = 0; i < count; i++)
        {
            Return(Rent(pool));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IMemoryOwner<byte> Rent(MemoryPool<byte> pool) => pool.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Return(IMemoryOwner<byte> block) => block.Dispose();
}
