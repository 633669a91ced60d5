using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One figure of a sample, and how it becomes a row.</summary>
internal sealed record HttpMetric(
    string Name, string Unit, bool IsRate, Func<HttpSample, double> Of, Func<ScenarioTargets, RowTarget> Target)
{
    public static IReadOnlyList<HttpMetric> All { get; } =
    [
        new("cpu", "us/request", false, sample => sample.CpuMicrosecondsPerRequest, asked => new(asked.Cpu, asked.CpuGoal)),
        new("rate", "requests/s", true, sample => sample.RequestsPerSecond, asked => new(null, asked.RateGoal)),
        new("p99", "ms", false, sample => sample.P99Milliseconds, asked => new(null, asked.P99)),
    ];

    /// <summary>The row of the medians, and how far the ratios of single rounds are apart.</summary>
    public (BenchmarkRow Row, double Spread) Compare(
        string rowName, string peer, IReadOnlyList<HttpSample> ours, IReadOnlyList<HttpSample> theirs, ScenarioTargets asked)
    {
        var ourMedian = Statistics.Median(ours.Select(Of));
        var theirMedian = Statistics.Median(theirs.Select(Of));
        var target = Target(asked);
        var row = IsRate
            ? BenchmarkRow.Rate(rowName, peer, ourMedian, theirMedian, Unit, target.Goal)
            : BenchmarkRow.Cost(rowName, peer, ourMedian, theirMedian, Unit, target);
        return (row, Statistics.Spread([.. ours.Zip(theirs, (our, their) => Of(our) / Of(their))]));
    }
}
