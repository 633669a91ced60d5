using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>One figure of a <see cref="Look{T}"/>.</summary>
/// <param name="Name">The row's.</param>
/// <param name="Target">Its target.</param>
/// <param name="Of">The row.</param>
internal sealed record LookRow<T>(string Name, RowTarget Target, Func<T, BenchmarkRow> Of)
{
    /// <summary>A figure against an absolute limit.</summary>
    public static LookRow<T> Limit(string name, Func<T, double> of, double limit, string unit, double? goal = null) => new(
        name, new RowTarget(limit == 0 ? 0 : 1, goal), found => BenchmarkRow.Limit(name, of(found), limit, unit, goal));
}
