using System.Diagnostics.Metrics;

namespace NumaSharp.Playground.LoadGenerator;

/// <summary>The latency of answers, and failures.</summary>
internal sealed class LoadMetrics(IMeterFactory meters)
{
    public const string MeterName = "NumaSharp.Playground.Load";

    private static readonly double[] s_seconds =
        [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

    private readonly Histogram<double> _duration = meters.Create(MeterName)
        .CreateHistogram(
            "load.answer.duration",
            "s",
            "From a request to its answer.",
            advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = s_seconds });

    private readonly Counter<long> _failures = meters.Create(MeterName)
        .CreateCounter<long>("load.failures", "{request}", "Requests without an answer, or with a wrong one.");

    public void Answered(string protocol, TimeSpan after) =>
        _duration.Record(after.TotalSeconds, KeyValuePair.Create("protocol", (object?)protocol));

    public void Failed(string protocol) => _failures.Add(1, KeyValuePair.Create("protocol", (object?)protocol));
}
