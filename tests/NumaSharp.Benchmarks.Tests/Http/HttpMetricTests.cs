using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpMetricTests
{
    // The machine is twice as slow in the second round, and our run of the third met other load.
    private static readonly HttpSample[] s_theirs = [Sample(20, 100, 4, 0.1), Sample(40, 50, 8, 8), Sample(24, 80, 6, 8)];
    private static readonly HttpSample[] s_ours = [Sample(8, 250, 1.6, 0.2), Sample(20, 100, 4, 4), Sample(90, 20, 30, 2)];

    [Theory]
    [InlineData("cpu", 20, 40, 0.5)]
    [InlineData("rate", 100, 50, 0.5)]
    [InlineData("p50", 2, 4, 0.5)]
    [InlineData("p99", 4, 8, 0.5)]
    [InlineData("p99.9", 8, 16, 0.5)]
    [InlineData("bytes", 4, 8, 0.5)]
    public void Compare_Rounds_IsTheRoundWithTheMedianRatio(string name, double ours, double theirs, double ratio)
    {
        var metric = Assert.Single(HttpMetric.All, metric => metric.Name == name);

        var (row, _) = metric.Compare("row", "peer", s_ours, s_theirs, default);

        Assert.Equal((ours, theirs, ratio), (row.Ours, row.Theirs, row.Ratio));
    }

    [Fact]
    public void Compare_LessThanAByte_CountsAsOne()
    {
        var bytes = Assert.Single(HttpMetric.All, metric => metric.Name == "bytes");

        Assert.Equal(1, bytes.Compare("row", "peer", [s_ours[0]], [s_theirs[0]], default).Row.Ratio);
    }

    private static HttpSample Sample(double cpu, double rate, double p99, double bytes) =>
        new(cpu, rate, new Latency(p99 / 2, p99, p99 * 2), bytes);
}
