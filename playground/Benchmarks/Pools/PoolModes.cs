using System.Buffers;
using System.Runtime.CompilerServices;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>What looking for wrong use costs: the pool in each of its modes against itself in none.</summary>
internal static class PoolModes
{
    private static readonly Side s_none = new("none", NumaMemoryChecks.None, TraceEvery: 1);

    private static readonly Side[] s_modes =
    [
        new("hardened", NumaMemoryChecks.Hardened, TraceEvery: 1),
        new("checks", NumaMemoryChecks.Checks, TraceEvery: 1),
        new("untraced checks", NumaMemoryChecks.Checks, TraceEvery: 0),
    ];

    public static Contest Create(WorkerTeams teams) => new([
        .. s_modes.Select(mode => new Duel($"pool {mode.Name} vs none", Of(teams, mode), Of(teams, s_none))),
    ]);

    private static Contestant Of(WorkerTeams teams, Side side) =>
        teams.Contestant(1, (_, count) => Single(side.Pool, count), () => side.Name);

    private static void Single(MemoryPool<byte> pool, int count)
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

    private sealed record Side(string Name, NumaMemoryChecks Checks, int TraceEvery)
    {
        private readonly Lazy<NumaMemoryPool> _pool = new(() => new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            NodeId = NumaTopology.Instance.Nodes[0].Id,
            Checks = Checks,
            TraceEvery = TraceEvery,
        }));

        public NumaMemoryPool Pool => _pool.Value;
    }
}
