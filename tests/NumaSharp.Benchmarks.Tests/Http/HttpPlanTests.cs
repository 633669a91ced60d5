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
    public void Plan_Full_ComparesEverySideEverywhere()
    {
        var plan = new HttpPlan(AllSides(quick: false));

        Assert.Equal(4, plan.Challengers.Count);
        Assert.All(plan.Scenarios, scenario => Assert.Equal(plan.Challengers, plan.Sides(scenario)));
    }

    [Fact]
    public void Plan_Quick_ComparesTheReferencesOncePerLoad()
    {
        var plan = new HttpPlan(AllSides(quick: true));

        Assert.All(plan.Scenarios, scenario => Assert.Equal(
            !scenario.IsVariant ? ["sockets inline", "Adaptive", "Inline", "Node"]
                : scenario.InlineTarget is null ? ["Adaptive", "Node"]
                : ["Adaptive", "Inline", "Node"],
            plan.Sides(scenario).Select(side => side.Name)));
    }

    [Fact]
    public void Plan_FilterForAdaptiveAgainstInline_RunsBoth()
    {
        var plan = new HttpPlan(AllSides(quick: true) with { Filter = "ping cpu vs inline" });

        Assert.Equal(["Adaptive", "Inline"], plan.Challengers.Select(side => side.Name));
        Assert.NotNull(plan.InlinePair(Assert.Single(plan.Scenarios), plan.Challengers));
    }

    [Fact]
    public void Plan_FilterForMemory_RunsNoLoadBesideIt()
    {
        var plan = new HttpPlan(Options("10k idle"));

        Assert.Empty(plan.Challengers);
        Assert.Equal(["10k idle transport", "10k idle heap", "10k idle resident"], Assert.Single(plan.Memory).RowNames);
    }

    [Fact]
    public void Plan_FilterForStalls_LooksAtAdaptiveOnly()
    {
        var plan = new HttpPlan(Options("blocks"));

        Assert.Empty(plan.Challengers);
        Assert.Equal(["one blocks p99.9"], plan.Stalls!.RowNames);
        Assert.Null(new HttpPlan(Options("ping cpu")).Stalls);
    }

    [Theory]
    [InlineData("open-loop", true)]
    [InlineData("low-rate", false)]
    [InlineData("ping", false)]
    public void NeedsCapacity_Filter_IsThatOfTheOpenLoop(string filter, bool expected) =>
        Assert.Equal(expected, new HttpPlan(Options(filter)).NeedsCapacity);

    [Fact]
    public void Budget_QuickWithAllSides_IsWithinSeventeenMinutes() =>
        Assert.InRange(new HttpPlan(AllSides(quick: true)).Budget, TimeSpan.FromMinutes(5), TimeSpan.FromMinutes(17));

    [Fact]
    public void Plan_NoiseFloor_ComparesStockWithStock() =>
        Assert.False(Assert.Single(new HttpPlan(Options(noiseFloor: true)).Challengers).IsOurs);

    private static string[] Rows(HttpPlan plan) =>
    [
        .. from side in plan.Challengers
           from scenario in plan.Scenarios
           from metric in plan.Metrics(scenario, side)
           select scenario.RowName(metric, side),
    ];

    private static BenchmarkOptions AllSides(bool quick) =>
        new(quick, null, null, HttpPlan.DefaultDispatch, NoiseFloor: false, SocketsInline: true);

    private static BenchmarkOptions Options(string? filter = null, bool quick = true, bool noiseFloor = false) =>
        new(quick, null, filter, [DispatchMode.Adaptive, DispatchMode.Node], noiseFloor);
}
