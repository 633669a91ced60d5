namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>Percentiles of the measured part of a run, in milliseconds.</summary>
internal readonly record struct Latency(double P50, double P99, double P999)
{
    public static Latency FromMicroseconds(double p50, double p99, double p999) => new(p50 / 1e3, p99 / 1e3, p999 / 1e3);
}
