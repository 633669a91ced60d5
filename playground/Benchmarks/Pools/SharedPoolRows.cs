using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The rows of the memory benchmark whose peers are the pools of .NET itself.</summary>
internal static class SharedPoolRows
{
    public static IReadOnlyList<IRowSource> Create(WorkerTeams teams) =>
    [
        AgainstShared(teams, "pool single vs MemoryPool", static (side, count) => side.Single(count)),
        AgainstShared(teams, "pool nested x3 vs MemoryPool", static (side, count) => side.Nested(count)),
        new Contest([
            new PeerRow(
                "nested 4K x3 vs ArrayPool",
                teams.Contestant(AllocatorSides.Ours, count => AllocatorSides.Ours.Nested(IPoolSide.BlockBytes, count)),
                teams.Contestant(1, (_, count) => Nested(count), static () => $"ArrayPool.Shared {Environment.Version}"),
                MemoryTargets.SharedPool),
        ]),
    ];

    private static Contest AgainstShared(WorkerTeams teams, string name, Action<IPoolSide, int> loop) => new([
        new PeerRow(
            name,
            teams.Contestant(PoolSides.Ours, count => loop(PoolSides.Ours, count)),
            teams.Contestant(PoolSides.Shared, count => loop(PoolSides.Shared, count)),
            MemoryTargets.SharedPool),
    ]);

    private static void Nested(int count)
    {
        for (var i = 0; i < count; i++)
        {
            var first = Rent();
            var second = Rent();
            var third = Rent();
            Return(third);
            Return(second);
            Return(first);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static byte[] Rent() => ArrayPool<byte>.Shared.Rent(IPoolSide.BlockBytes);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Return(byte[] array) => ArrayPool<byte>.Shared.Return(array);
}
