using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpScenariosTests
{
    private static readonly ServerSide s_adaptive = ServerSide.Ours(DispatchMode.Adaptive);
    private static readonly ServerSide s_inline = ServerSide.Ours(DispatchMode.Inline);
    private static readonly ServerSide s_node = ServerSide.Ours(DispatchMode.Node);

    [Fact]
    public void RowName_AllScenariosMetricsAndSides_AreUnique()
    {
        var names =
            from scenario in HttpScenarios.All
            from metric in HttpMetric.All
            from side in new[] { s_adaptive, s_inline, s_node, ServerSide.StockAgain }
            select scenario.RowName(metric.Name, side);

        Assert.Equal(HttpScenarios.All.Count * HttpMetric.All.Count * 4, names.Distinct(StringComparer.Ordinal).Count());
    }

    [Theory]
    [InlineData("ping", 0.60, 0.90)]
    [InlineData("get-4k", 0.60, 0.90)]
    [InlineData("get-64k", 0.50, 0.70)]
    [InlineData("post-512", 0.65, 0.95)]
    [InlineData("post-4k", 0.50, 0.80)]
    [InlineData("post-64k", 0.40, 0.55)]
    [InlineData("pipelined-x16", 0.80, 0.85)]
    [InlineData("tls-4k", 0.80, 0.85)]
    [InlineData("tls-64k", 0.80, 0.85)]
    [InlineData("websocket", 0.80, 1.00)]
    [InlineData("h2-16x16", 1.00, 1.00)]
    [InlineData("h2-1x100", 1.00, 1.00)]
    public void TargetsOf_Scenario_RequiresTheCpuOfItsDispatch(string name, double onLoop, double onNode)
    {
        var scenario = Assert.Single(HttpScenarios.All, scenario => scenario.Name == name && scenario.MetricSuffix.Length == 0);

        Assert.Equal(onLoop, scenario.TargetsOf(s_adaptive).Cpu);
        Assert.Equal(onLoop, scenario.TargetsOf(s_inline).Cpu);
        Assert.Equal(onNode, scenario.TargetsOf(s_node).Cpu);
        Assert.Null(scenario.TargetsOf(ServerSide.StockAgain).Cpu);
    }

    [Fact]
    public void Targets_OtherThanCpu_AreGoalsOnly() => Assert.All(
        HttpMetric.All.Where(metric => metric.Name != "cpu"),
        metric => Assert.All(
            HttpScenarios.All,
            scenario => Assert.Null(metric.Target(scenario.TargetsOf(s_adaptive)).Required)));

    [Fact]
    public void RateGoal_OneAndAHalfTimes_IsTwoThirds() => Assert.Equal(0.667, new ScenarioTargets(Rate: 1.5).RateGoal);

    [Fact]
    public void Budget_QuickWithTheDefaultSides_IsWithinTenMinutes() =>
        Assert.True(HttpRunLengths.Quick.Budget(HttpScenarios.All.Count, servers: 3) < TimeSpan.FromMinutes(9.5));

    [Fact]
    public void Lengths_QuickAndFull_HaveFiveRoundsAtLeastAndAMiddleOne() =>
        Assert.All(
            [HttpRunLengths.Quick, HttpRunLengths.Full],
            lengths => Assert.True(lengths.Rounds >= 5 && lengths.Rounds % 2 == 1));

    [Fact]
    public void Exists_PipelinedRequests_HaveNoLatency()
    {
        var pipelined = Assert.Single(HttpScenarios.All, scenario => scenario.Name == "pipelined-x16");

        Assert.Equal(["cpu", "rate"], HttpMetric.All.Where(metric => metric.Exists(pipelined)).Select(metric => metric.Name));
    }
}
