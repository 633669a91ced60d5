namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The figures of a slice.</summary>
internal static class SliceFigures
{
    public static Figure<Slice> Time { get; } = new("ns/op", static slice => slice.Nanoseconds / slice.Operations);

    public static Figure<Slice> Cpu { get; } = new("ns CPU/op", static slice => slice.CpuNanoseconds / slice.Operations);

    public static Figure<Slice> Rate { get; } = new(
        "requests/s", static slice => slice.Operations * 1e9 / slice.Nanoseconds, IsRate: true);

    public static Figure<Slice> MedianWait { get; } = Wait(50);

    public static Figure<Slice> LongWait { get; } = Wait(99);

    // The percentile of each slice, and of these the median: if the whole machine stalls for a moment, all items of
    // one slice are late, on whichever side it is.
    private static Figure<Slice> Wait(int percent) => new("ns", slice =>
    {
        double[] each = [.. slice.Waits.Select(waits => (double)Statistics.Percentile([.. waits], percent))];
        return each[Statistics.MiddleRound(each)];
    });
}
