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

    public static IReadOnlyList<IRowSource> Create(WorkerTeams teams) =>
    [
        .. BlockSize.All.Select(size => Single(teams, size)),
        Flatness(teams),
        AgainstMimalloc(
            "nested 4K x3",
            side => teams.Contestant(side, count => side.Nested(4 * Kilobyte, count)),
            MemoryTargets.Nested),
        .. s_bulkSizes.Select(size => AgainstMimalloc(
            $"bulk 1000 {Label(size)}",
            side => teams.Contestant(side, count => side.Bulk((nuint)size, count), step: IAllocatorSide.BulkBlocks),
            MemoryTargets.Bulk(size))),
        .. s_threadSizes.Select(size => AgainstMimalloc(
            $"2 threads {Label(size)}",
            side => teams.Contestant(side, count => side.Single((nuint)size, count), threads: 2),
            MemoryTargets.TwoThreads(size))),
        .. s_crossSizes.Select(size => AgainstMimalloc(
            $"cross-thread {Label(size)}", side => CrossThread(teams, side, size), MemoryTargets.CrossThread(size))),
        .. SharedPoolRows.Create(teams),
        RemoteFree.Create(teams, 64),
        RemoteFree.Create(teams, 4 * Kilobyte),
        ManagedBytes(teams),
        ShortThreads.Create(),
        ResidentMemory.Create(),
        .. s_threadSizes.Select(size => AgainstMimalloc(
            $"loop handle {Label(size)}",
            side => teams.Contestant(side, count => side.Single((nuint)size, count)),
            ours: AllocatorSides.Handle)),
        .. s_checkedSizes.Select(size => CheckedModes.OfAllocator(teams, size)),
    ];

    private static Contest Single(WorkerTeams teams, int size)
    {
        var ours = Side(AllocatorSides.Ours);
        return new([
            .. AllocatorSides.Peers.Select(peer => new PeerRow(
                $"alloc {Label(size)} vs {peer.Label}", ours, Side(peer.Side), MemoryTargets.Single(peer.Label, size))),
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

    private static Contestant CrossThread(WorkerTeams teams, IAllocatorSide side, int size)
    {
        var ring = new SpscRing<nint>();
        return teams.Contestant(
            side,
            ring.Hand(count => side.Produce(ring, (nuint)size, count), count => side.Consume(ring, count)),
            threads: 2,
            SpscRing<nint>.Batch);
    }

    private static Look<double> ManagedBytes(WorkerTeams teams)
    {
        var ring = new SpscRing<nint>();
        var ours = AllocatorSides.Ours;

        // Made here: what the loops themselves allocate would be in the row.
        int[] sizes = [.. BlockSize.All];
        return Measurement.ManagedBytes.Create(
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
                (2, ring.Hand(count => ours.Produce(ring, 4 * Kilobyte, count), count => ours.Consume(ring, count))),
            ]);
    }

    private static Contest AgainstMimalloc(
        string name, Func<IAllocatorSide, Contestant> side, RowTarget target = default, IAllocatorSide? ours = null) =>
        new([new PeerRow($"{name} vs mimalloc", side(ours ?? AllocatorSides.Ours), side(AllocatorSides.Mimalloc), target)]);
}
