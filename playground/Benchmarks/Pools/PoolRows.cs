using System.Buffers;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools.Peers;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The rows of the pool benchmark.</summary>
internal static class PoolRows
{
    /// <summary>Blocks that are rented at once and touched in shuffled order.</summary>
    public const int ShuffledBlocks = 1000;

    private const int Seed = 1;

    public static IReadOnlyList<IRowSource> Create(WorkerTeams teams) =>
    [
        AgainstKestrel(teams, "single", (side, count) => side.Single(count), PoolTargets.Single),
        AgainstKestrel(teams, "nested x3", (side, count) => side.Nested(count), PoolTargets.Nested),
        AgainstKestrel(teams, "2 threads", (side, count) => side.Single(count), PoolTargets.TwoThreads, threads: 2),
        CrossThread(teams),
        Megamorphic(teams),
        LoopHandle(teams),
        Shuffled(teams),
        ManagedBytes(teams),
        RefusedBindings.Create(),
        PoolModes.Create(teams),
    ];

    private static Contest CrossThread(WorkerTeams teams)
    {
        return Row("cross-thread", Side(PoolSides.Ours), Side(PoolSides.Kestrel), PoolTargets.CrossThread);

        Contestant Side(IPoolSide side)
        {
            var ring = new SpscRing<RentedBlock>();
            return teams.Contestant(
                side,
                ring.Hand(count => side.Produce(ring, count), count => side.Consume(ring, count)),
                threads: 2,
                SpscRing<RentedBlock>.Batch);
        }
    }

    private static Contest Megamorphic(WorkerTeams teams)
    {
        return Row(
            "megamorphic call site",
            Side(() => NumaPooledBlocks.Name, () => NumaPooledBlocks.Pool),
            Side(() => KestrelPooledBlocks.Name, () => KestrelPooledBlocks.Pool),
            PoolTargets.Megamorphic);

        Contestant Side(Func<string> name, Func<MemoryPool<byte>> pool) => teams.Contestant(
            1,
            (_, count) =>
            {
                MegamorphicSite.MeetAll();
                MegamorphicSite.Single(pool(), count);
            },
            name);
    }

    private static Contest LoopHandle(WorkerTeams teams)
    {
        return Row("loop handle", Side(PoolSides.Handle), Side(PoolSides.Kestrel), PoolTargets.LoopHandle);

        Contestant Side(IPoolSide side) => teams.Contestant(side, count => side.Single(count));
    }

    private static Contest Shuffled(WorkerTeams teams)
    {
        int[] order = [.. Enumerable.Range(0, ShuffledBlocks)];
        new Random(Seed).Shuffle(order);
        return AgainstKestrel(
            teams,
            "1000 shuffled",
            (side, count) => side.Shuffled(order, count),
            PoolTargets.Shuffled,
            step: ShuffledBlocks);
    }

    private static ManagedBytes ManagedBytes(WorkerTeams teams)
    {
        var ring = new SpscRing<RentedBlock>();
        var ours = PoolSides.Ours;
        return new ManagedBytes(
            "managed bytes",
            teams,
            [
                (1, (_, count) => ours.Single(count)),
                (1, (_, count) => ours.Nested(count)),
                (1, (_, count) => PoolSides.Handle.Single(count)),
                (2, ring.Hand(count => ours.Produce(ring, count), count => ours.Consume(ring, count))),
            ]);
    }

    private static Contest AgainstKestrel(
        WorkerTeams teams, string name, Action<IPoolSide, int> loop, RowTarget target, int threads = 1, int step = 1)
    {
        return Row(name, Side(PoolSides.Ours), Side(PoolSides.Kestrel), target);

        Contestant Side(IPoolSide side) => teams.Contestant(side, count => loop(side, count), threads, step);
    }

    private static Contest Row(string name, Contestant ours, Contestant theirs, RowTarget target) =>
        new([new Duel($"pool {name}", ours, theirs, target)]);
}
