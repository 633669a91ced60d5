using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One figure of a sample, and how it becomes a row.</summary>
/// <param name="Name">Second part of the rows' names.</param>
/// <param name="Unit">What the table shows.</param>
/// <param name="Needs">The figures that the load must report for it.</param>
/// <param name="Of">The figure.</param>
/// <param name="Target">Its target.</param>
internal sealed record HttpMetric(
    string Name, string Unit, LoadFigures Needs, Func<HttpSample, double> Of, Func<ScenarioTargets, RowTarget> Target)
    : Figure<HttpSample>(Unit, Of, Needs == LoadFigures.Rate)
{
    // Less than a byte per request comes from the harness's own requests, and is no divisor.
    private const double LeastBytes = 1;

    public static HttpMetric Cpu { get; } = new(
        "cpu",
        "us/request",
        LoadFigures.None,
        sample => sample.CpuMicrosecondsPerRequest,
        asked => asked.OfCpu);

    public static IReadOnlyList<HttpMetric> All { get; } =
    [
        Cpu,
        new("rate", "requests/s", LoadFigures.Rate, sample => sample.RequestsPerSecond, asked => asked.OfRate),
        Time("p50", LoadFigures.Percentiles, latency => latency.P50, _ => default),
        Time("p99", LoadFigures.Percentiles, latency => latency.P99, asked => asked.OfP99),
        Time("p99.9", LoadFigures.Tail, latency => latency.P999, _ => default),
        new("bytes", "B/request", LoadFigures.None, sample => Math.Max(sample.ManagedBytesPerRequest, LeastBytes), _ => default),
    ];

    /// <summary>Pipelined answers have no latency of their own; a constant rate is no result.</summary>
    public bool Exists(HttpScenario scenario) => (scenario.Load.Figures & Needs) == Needs;

    private static HttpMetric Time(
        string name, LoadFigures needs, Func<Latency, double> of, Func<ScenarioTargets, RowTarget> target) =>
        new(name, "ms", needs, sample => of(sample.Latency!.Value), target);
}
