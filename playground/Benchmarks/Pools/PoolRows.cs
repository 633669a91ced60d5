using System.Buffers;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;
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
        AgainstKestrel("single", side => teams.Contestant(side, side.Single), PoolTargets.Single),
        AgainstKestrel("nested x3", side => teams.Contestant(side, side.Nested), PoolTargets.Nested),
        AgainstKestrel("2 threads", side => teams.Contestant(side, side.Single, threads: 2), PoolTargets.TwoThreads),
        AgainstKestrel("cross-thread", side => CrossThread(teams, side), PoolTargets.CrossThread),
        Megamorphic(teams),
        AgainstKestrel("loop handle", side => teams.Contestant(side, side.Single), PoolTargets.LoopHandle, PoolSides.Handle),
        Shuffled(teams),
        ManagedBytes(teams),
        RefusedBindings.Create(),
        CheckedModes.OfPool(teams),
    ];

    private static Contestant CrossThread(WorkerTeams teams, IPoolSide side)
    {
        var ring = new SpscRing<RentedBlock>();
        return teams.Contestant(
            side,
            ring.Hand(count => side.Produce(ring, count), count => side.Consume(ring, count)),
            threads: 2,
            SpscRing<RentedBlock>.Batch);
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

    private static Contest Shuffled(WorkerTeams teams)
    {
        int[] order = [.. Enumerable.Range(0, ShuffledBlocks)];
        new Random(Seed).Shuffle(order);
        return AgainstKestrel(
            "1000 shuffled",
            side => teams.Contestant(side, count => side.Shuffled(order, count), step: ShuffledBlocks),
            PoolTargets.Shuffled);
    }

    private static Look<double> ManagedBytes(WorkerTeams teams)
    {
        var ring = new SpscRing<RentedBlock>();
        var ours = PoolSides.Ours;
        return Measurement.ManagedBytes.Create(
            teams,
            [
                (1, (_, count) => ours.Single(count)),
                (1, (_, count) => ours.Nested(count)),
                (1, (_, count) => PoolSides.Handle.Single(count)),
                (2, ring.Hand(count => ours.Produce(ring, count), count => ours.Consume(ring, count))),
            ]);
    }

    private static Contest AgainstKestrel(
        string name, Func<IPoolSide, Contestant> side, RowTarget target, IPoolSide? ours = null) =>
        Row(name, side(ours ?? PoolSides.Ours), side(PoolSides.Kestrel), target);

    private static Contest Row(string name, Contestant ours, Contestant theirs, RowTarget target) =>
        new([new PeerRow($"pool {name}", ours, theirs, target)]);
}
