using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Slices;

/// <summary>One figure of a slice, and how it becomes a row.</summary>
internal sealed record SliceFigure(string Unit, Func<Slice, double> Of, bool IsRate = false)
{
    public static SliceFigure Time { get; } = new("ns/op", static slice => slice.Nanoseconds / slice.Operations);

    public static SliceFigure Cpu { get; } = new("ns CPU/op", static slice => slice.CpuNanoseconds / slice.Operations);

    public static SliceFigure Rate { get; } = new("requests/s", static slice => slice.Operations * 1e9 / slice.Nanoseconds, true);

    public static SliceFigure MedianWait { get; } = Wait(50);

    public static SliceFigure LongWait { get; } = Wait(99);

    /// <summary>The round with the median ratio, and how far the ratios of the rounds are apart.</summary>
    public MeasuredRow Compare(
        string name, string peer, IReadOnlyList<Slice> ours, IReadOnlyList<Slice> theirs, RowTarget target)
    {
        double[] ratios = [.. ours.Zip(theirs, (our, their) => IsRate ? Of(their) / Of(our) : Of(our) / Of(their))];
        var middle = Statistics.MiddleRound(ratios);
        var (our, their) = (Of(ours[middle]), Of(theirs[middle]));
        var row = IsRate
            ? BenchmarkRow.Rate(name, peer, our, their, Unit, target)
            : BenchmarkRow.Cost(name, peer, our, their, Unit, target);
        return new MeasuredRow(row, Statistics.Spread(ratios));
    }

    // The percentile of each slice, and of these the median: where the whole machine stands still for a moment, all items of
    // one slice are late, and there is no telling whose they are.
    private static SliceFigure Wait(int percent) => new("ns", slice =>
    {
        double[] each = [.. slice.Waits.Select(waits => (double)Statistics.Percentile([.. waits], percent))];
        return each[Statistics.MiddleRound(each)];
    });
}
