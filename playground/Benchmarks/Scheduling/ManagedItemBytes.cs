using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>
/// Bytes that the garbage collector hands out per item in the steady state, in the whole process: none. A queue that was
/// longer than ever grows once, so the run with the fewest counts: what an item costs is in all of them. What a run itself
/// allocates, however many its items, is in the shorter runs, too, and is taken off.
/// </summary>
internal static class ManagedItemBytes
{
    private const string Name = "managed bytes";
    private const int Runs = 7;
    private const int Items = 200_000;

    public static Look<double> Create() => new(
        [LookRow<double>.Limit(Name, static bytes => bytes, 0, "bytes/item")],
        static (_, _) => Task.FromResult(Measure()));

    private static double Measure()
    {
        using var engine = new NumaEngine();
        using var measured = NumaEngine.Measured();
        return new[] { engine, measured }.Max(static each =>
            Math.Max(PerItem(each.Open(new OutsideShape())), PerItem(each.Open(new InsideShape()))));
    }

    private static double PerItem(ILoad load)
    {
        // The longer runs first: then no queue grows in the shorter ones, which would hide what an item costs.
        var twice = Least(load, 2 * Items);
        return Math.Max(0, (double)(twice - Least(load, Items)) / Items);
    }

    private static long Least(ILoad load, int items) => Enumerable.Range(0, Runs).Min(_ =>
    {
        var before = GC.GetTotalAllocatedBytes(precise: true);
        load.Run(items);
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    });
}
