using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>
/// Bytes that the garbage collector hands out per item in the steady state, in the whole process: none. A queue that was
/// longer than ever grows once, so the run with the fewest counts: what an item costs is in all of them.
/// </summary>
internal static class ManagedItemBytes
{
    private const string Name = "managed bytes";
    private const int Runs = 7;
    private const int Items = 200_000;

    // What a slice itself allocates, and an event of the runtime, is no item's: less than one byte in so many items.
    private const int Digits = 1;

    public static Look<double> Create() => new(
        [LookRow<double>.Limit(Name, static bytes => Math.Round(bytes, Digits), 0, "bytes/item")],
        static (_, _) => Task.FromResult(Measure()));

    private static double Measure()
    {
        using var engine = new NumaEngine();
        using var measured = NumaEngine.Measured();
        return new[] { engine, measured }.Max(static each =>
            Math.Max(PerItem(each.Open(new OutsideShape())), PerItem(each.Open(new InsideShape()))));
    }

    private static double PerItem(ILoad load) => Enumerable.Range(0, Runs).Min(_ =>
    {
        var before = GC.GetTotalAllocatedBytes(precise: true);
        load.Run(Items);
        return (double)(GC.GetTotalAllocatedBytes(precise: true) - before) / Items;
    });
}
