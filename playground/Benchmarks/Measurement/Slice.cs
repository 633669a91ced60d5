namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The cost of a stretch of work.</summary>
/// <param name="Operations">How many.</param>
/// <param name="Nanoseconds">From its start to its end.</param>
/// <param name="CpuNanoseconds">CPU time of the whole process, user and kernel, of all threads.</param>
/// <param name="Waits">From queue to start in nanoseconds, where that is measured; slice by slice.</param>
internal sealed record Slice(int Operations, double Nanoseconds, double CpuNanoseconds, params IReadOnlyList<int[]> Waits)
{
    /// <summary>Several as one.</summary>
    public static Slice Sum(IReadOnlyCollection<Slice> slices) => new(
        slices.Sum(static slice => slice.Operations),
        slices.Sum(static slice => slice.Nanoseconds),
        slices.Sum(static slice => slice.CpuNanoseconds),
        [.. slices.SelectMany(static slice => slice.Waits)]);
}
