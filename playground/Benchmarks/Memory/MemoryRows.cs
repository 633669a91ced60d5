using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory.Resident;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Reporting;
using static NumaSharp.Playground.Benchmarks.Memory.BlockSize;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The rows of the memory benchmark.</summary>
internal static class MemoryRows
{
    private const int ReferenceSize = 64;

    private static readonly int[] s_bulkSizes = [64, 4 * Kilobyte, 16 * Kilobyte, 64 * Kilobyte, 256 * Kilobyte];
    private static readonly int[] s_threadSizes = [64, 4 * Kilobyte];
    private static readonly int[] s_crossSizes = [64, 4 * Kilobyte, 64 * Kilobyte];
    private static readonly int[] s_checkedSizes = [64, 4 * Kilobyte, 1024 * Kilobyte];
    private static readonly int[] s_manyThreads = [4, 8];

    public static IReadOnlyList<IRowSource> Create(WorkerTeams teams) =>
    [
        .. BlockSize.All.Select(size => Single(teams, size)),
        Flatness(teams),
        AgainstMimalloc(teams, "nested 4K x3", 1, (side, count) => side.Nested(4 * Kilobyte, count), MemoryTargets.Nested),
        .. s_bulkSizes.Select(size => Bulk(teams, size)),
        .. s_threadSizes.Select(size => Threads(teams, 2, size, MemoryTargets.TwoThreads(size))),
        .. s_crossSizes.Select(size =>
            CrossThread(teams, $"cross-thread {Label(size)}", [size], MemoryTargets.CrossThread(size))),
        .. SharedPoolRows.Create(teams),
        RemoteFree.Create(teams, 64),
        RemoteFree.Create(teams, 4 * Kilobyte),
        ManagedBytes(teams),
        new ShortThreads(),
        new ResidentMemory(),
        .. Reported(teams),
    ];

    // Without a requirement.
    private static IEnumerable<IRowSource> Reported(WorkerTeams teams) =>
    [
        AgainstAll(teams, "realloc 4K-64K", (side, count) => side.Resize(4 * Kilobyte, 64 * Kilobyte, count), _ => default),
        AgainstAll(teams, "aligned 64K", (side, count) => side.Aligned(64 * Kilobyte, 4 * Kilobyte, count), _ => default),
        .. from threads in s_manyThreads
           from size in s_threadSizes
           select Threads(teams, threads, size, default),
        Larson.Create(teams),
        CrossThread(teams, "xmalloc", MixedSizes.Table(), default),
        .. HugePageTouch.Create(teams),
        .. s_threadSizes.Select(size => LoopHandle(teams, size)),
        .. s_checkedSizes.Select(size => CheckedModes.Create(teams, size)),
    ];

    private static Contest Single(WorkerTeams teams, int size) => AgainstAll(
        teams,
        $"alloc {Label(size)}",
        (side, count) => side.Single((nuint)size, count),
        label => label switch
        {
            "mimalloc" => MemoryTargets.Mimalloc(size),
            "jemalloc" => MemoryTargets.Jemalloc(size),
            _ => MemoryTargets.NativeMemory(size),
        });

    private static Contest LoopHandle(WorkerTeams teams, int size)
    {
        return new([
            new Duel(
                $"loop handle {Label(size)} vs mimalloc", Side(AllocatorSides.Handle), Side(AllocatorSides.Mimalloc)),
        ]);

        Contestant Side(IAllocatorSide side) => teams.Contestant(side, count => side.Single((nuint)size, count));
    }

    private static Contest Flatness(WorkerTeams teams)
    {
        return new([
            new SlowestAgainstFastest(
                "slowest vs fastest size",
                [.. BlockSize.All.Select(size => (Side(size), Side(ReferenceSize)))],
                $"of {Label(ReferenceSize)}",
                MemoryTargets.SlowestAgainstFastest),
        ]);

        Contestant Side(int size) =>
            teams.Contestant(AllocatorSides.Ours, count => AllocatorSides.Ours.Single((nuint)size, count));
    }

    private static Contest Bulk(WorkerTeams teams, int size) => AgainstMimalloc(
        teams,
        $"bulk 1000 {Label(size)}",
        IAllocatorSide.BulkBlocks,
        (side, count) => side.Bulk((nuint)size, count),
        MemoryTargets.Bulk(size));

    private static Contest Threads(WorkerTeams teams, int threads, int size, RowTarget target)
    {
        return new([
            new Duel(
                $"{threads} threads {Label(size)} vs mimalloc", Side(AllocatorSides.Ours), Side(AllocatorSides.Mimalloc), target),
        ]);

        Contestant Side(IAllocatorSide side) =>
            teams.Contestant(side, count => side.Single((nuint)size, count), threads);
    }

    private static Contest CrossThread(WorkerTeams teams, string name, int[] sizes, RowTarget target)
    {
        return new([new Duel($"{name} vs mimalloc", Side(AllocatorSides.Ours), Side(AllocatorSides.Mimalloc), target)]);

        Contestant Side(IAllocatorSide side)
        {
            var ring = new SpscRing<nint>();
            return teams.Contestant(
                side,
                ring.Hand(count => side.Produce(ring, sizes, count), count => side.Consume(ring, count)),
                threads: 2,
                SpscRing<nint>.Batch);
        }
    }

    private static ManagedBytes ManagedBytes(WorkerTeams teams)
    {
        var ring = new SpscRing<nint>();
        var ours = AllocatorSides.Ours;

        // Made here: what the loops themselves allocate would be in the row.
        int[] sizes = [.. BlockSize.All];
        int[] passed = [4 * Kilobyte];
        return new ManagedBytes(
            "managed bytes",
            teams,
            [
                (1, (_, count) =>
                {
                    foreach (var size in sizes)
                    {
                        ours.Single((nuint)size, count);
                        ours.Nested((nuint)size, count);
                    }
                }),
                (2, ring.Hand(count => ours.Produce(ring, passed, count), count => ours.Consume(ring, count))),
            ]);
    }

    private static Contest AgainstAll(
        WorkerTeams teams, string name, Action<IResizingSide, int> loop, Func<string, RowTarget> target)
    {
        var ours = teams.Contestant(AllocatorSides.Ours, count => loop(AllocatorSides.Ours, count));
        return new([
            .. AllocatorSides.Peers.Select(peer => new Duel(
                $"{name} vs {peer.Label}",
                ours,
                teams.Contestant(peer.Side, count => loop(peer.Side, count)),
                target(peer.Label))),
        ]);
    }

    private static Contest AgainstMimalloc(
        WorkerTeams teams, string name, int step, Action<IAllocatorSide, int> loop, RowTarget target)
    {
        return new([
            new Duel($"{name} vs mimalloc", Side(AllocatorSides.Ours), Side(AllocatorSides.Mimalloc), target),
        ]);

        Contestant Side(IAllocatorSide side) => teams.Contestant(side, count => loop(side, count), step: step);
    }
}
