using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpPlanTests
{
    [Fact]
    public void Plan_QuickAndFull_HaveTheSameRows() =>
        Assert.Equal(Rows(new HttpPlan(Options(quick: false))), Rows(new HttpPlan(Options())));

    [Fact]
    public void Plan_WithoutFilter_HasEveryScenario() =>
        Assert.Equal(HttpScenarios.All.Count, new HttpPlan(Options()).Scenarios.Count);

    [Fact]
    public void Plan_Filter_KeepsOnlyTheRowsThatHaveIt() =>
        Assert.Equal(
            ["tls-4k cpu", "tls-64k cpu", "tls-4k cpu node", "tls-64k cpu node"],
            Rows(new HttpPlan(Options("TLS"))).Where(row => row.Contains("cpu", StringComparison.Ordinal)));

    [Fact]
    public void Plan_FilterForOneSide_LeavesTheOtherOut() =>
        Assert.Equal("Node", Assert.Single(new HttpPlan(Options("ping cpu node")).Challengers).Name);

    [Fact]
    public void Plan_FilterForIdle_RunsNoScenario()
    {
        var plan = new HttpPlan(Options("idle"));

        Assert.Empty(plan.Scenarios);
        Assert.Equal(2, plan.Challengers.Count);
    }

    [Fact]
    public void Plan_FilterWithoutARow_IsRefused() =>
        Assert.Throws<BenchmarkException>(() => new HttpPlan(Options("no such row")));

    [Fact]
    public void Plan_NoiseFloor_ComparesStockWithStock() =>
        Assert.False(Assert.Single(new HttpPlan(Options(noiseFloor: true)).Challengers).IsOurs);

    private static string[] Rows(HttpPlan plan) =>
    [
        .. from side in plan.Challengers
           from scenario in plan.Scenarios
           from metric in plan.Metrics(scenario, side)
           select scenario.RowName(metric.Name, side),
    ];

    private static BenchmarkOptions Options(string? filter = null, bool quick = true, bool noiseFloor = false) =>
        new(quick, null, filter, [DispatchMode.Adaptive, DispatchMode.Node], noiseFloor);
}
