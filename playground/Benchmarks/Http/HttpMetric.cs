using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One figure of a sample, and how it becomes a row.</summary>
internal sealed record HttpMetric(
    string Name, string Unit, bool IsRate, Func<HttpSample, double> Of, Func<ScenarioTargets, RowTarget> Target)
{
    private static HttpMetric Latency { get; } = new(
        "p99", "ms", false, sample => sample.P99Milliseconds!.Value, asked => new(null, asked.P99));

    public static IReadOnlyList<HttpMetric> All { get; } =
    [
        new("cpu", "us/request", false, sample => sample.CpuMicrosecondsPerRequest, asked => new(asked.Cpu, asked.CpuGoal)),
        new("rate", "requests/s", true, sample => sample.RequestsPerSecond, asked => new(null, asked.RateGoal)),
        Latency,
    ];

    /// <summary>Pipelined answers have no latency of their own; see <see cref="Load.ILoadGenerator.MeasuresLatency"/>.</summary>
    public bool Exists(HttpScenario scenario) => this != Latency || scenario.Load.MeasuresLatency;

    /// <summary>The row of the round with the median ratio, and how far the ratios of the rounds are apart.</summary>
    public (BenchmarkRow Row, double Spread) Compare(
        string rowName, string peer, IReadOnlyList<HttpSample> ours, IReadOnlyList<HttpSample> theirs, ScenarioTargets asked)
    {
        double[] ratios = [.. ours.Zip(theirs, (our, their) => IsRate ? Of(their) / Of(our) : Of(our) / Of(their))];
        var middle = Statistics.MiddleRound(ratios);
        var (our, their, target) = (Of(ours[middle]), Of(theirs[middle]), Target(asked));
        var row = IsRate
            ? BenchmarkRow.Rate(rowName, peer, our, their, Unit, target)
            : BenchmarkRow.Cost(rowName, peer, our, their, Unit, target);
        return (row, Statistics.Spread(ratios));
    }
}
