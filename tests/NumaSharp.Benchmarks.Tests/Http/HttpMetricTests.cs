using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpMetricTests
{
    private static readonly HttpSample[] s_theirs = [new(20, 100, 4), new(22, 90, 5), new(24, 80, 6)];
    private static readonly HttpSample[] s_ours = [new(10, 200, 2), new(11, 180, 2.5), new(90, 20, 30)];

    [Theory]
    [InlineData("cpu", 11, 22, 0.5)]
    [InlineData("rate", 180, 90, 0.5)]
    [InlineData("p99", 2.5, 5, 0.5)]
    public void Compare_Samples_IsTheRatioOfTheMedians(string name, double ours, double theirs, double ratio)
    {
        var metric = Assert.Single(HttpMetric.All, metric => metric.Name == name);

        var (row, _) = metric.Compare("row", "peer", s_ours, s_theirs, new ScenarioTargets(0.6, Rate: 1.6));

        Assert.Equal((ours, theirs, ratio), (row.Ours, row.Theirs, row.Ratio));
    }
}
