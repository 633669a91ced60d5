using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>
/// Bytes that the garbage collector hands out per item in the steady state, in the whole process: none. A queue that was
/// longer than ever grows once, so the run with the fewest counts: what an item costs is in all of them.
/// </summary>
internal sealed class ManagedItemBytes : IRowSource
{
    private const string Name = "managed bytes";
    private const int Runs = 7;
    private const int Items = 200_000;

    // What a slice itself allocates, and an event of the runtime, is no item's: less than one byte in so many items.
    private const int Digits = 1;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => [(Name, new RowTarget(0, null))];

    public IRowSource? Where(Func<string, bool> isWanted) => isWanted(Name) ? this : null;

    public Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        using var engine = new NumaEngine();
        using var measured = NumaEngine.Measured();
        var worst = new[] { engine, measured }.Max(static each =>
            Math.Max(PerItem(each.Open(new OutsideShape())), PerItem(each.Open(new InsideShape()))));
        report(new MeasuredRow(BenchmarkRow.Limit(Name, Math.Round(worst, Digits), 0, "bytes/item"), null));
        return Task.CompletedTask;
    }

    private static double PerItem(ILoad load)
    {
        var fewest = Enumerable.Range(0, Runs).Min(_ =>
        {
            var before = GC.GetTotalAllocatedBytes(precise: true);
            load.Run(Items);
            return GC.GetTotalAllocatedBytes(precise: true) - before;
        });
        return (double)fewest / Items;
    }
}
