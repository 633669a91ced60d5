using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpMetricTests
{
    // The machine is twice as slow in the second round, and our run of the third met somebody else's load.
    private static readonly HttpSample[] s_theirs = [new(20, 100, 4), new(40, 50, 8), new(24, 80, 6)];
    private static readonly HttpSample[] s_ours = [new(8, 250, 1.6), new(20, 100, 4), new(90, 20, 30)];

    [Theory]
    [InlineData("cpu", 20, 40, 0.5)]
    [InlineData("rate", 100, 50, 0.5)]
    [InlineData("p99", 4, 8, 0.5)]
    public void Compare_Rounds_IsTheRoundWithTheMedianRatio(string name, double ours, double theirs, double ratio)
    {
        var metric = Assert.Single(HttpMetric.All, metric => metric.Name == name);

        var (row, _) = metric.Compare("row", "peer", s_ours, s_theirs, new ScenarioTargets(0.6, Rate: 1.6));

        Assert.Equal((ours, theirs, ratio), (row.Ours, row.Theirs, row.Ratio));
    }
}
