using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpPlanTests
{
    [Theory]
    [InlineData(null)]
    [InlineData("-256")]
    public void Plan_QuickWithFilterOrEveryRow_HasTheRowsOfTheFull(string? filter) => Assert.Equal(
        Rows(new HttpPlan(Options(filter, quick: false))),
        Rows(new HttpPlan(Options(filter) with { EveryRow = filter is null })));

    [Fact]
    public void Plan_FullWithoutFilter_HasEveryScenario() =>
        Assert.Equal(HttpScenarios.All.Count, new HttpPlan(Options(quick: false)).Scenarios.Count);

    [Fact]
    public void Plan_QuickWithoutFilter_ComparesWhatUsersChooseUnderOneLoadOfEachKind()
    {
        var plan = new HttpPlan(AllSides(quick: true, filter: null));

        Assert.Equal(["Adaptive", "Node"], plan.Challengers.Select(side => side.Name));
        Assert.Equal(
            HttpScenarios.All.Where(static scenario => scenario is { IsVariant: false, IsOfDefault: false }),
            plan.Scenarios);
        Assert.Empty(plan.Memory);
        Assert.Null(plan.Stalls);
    }

    [Fact]
    public void Plan_Filter_KeepsOnlyTheRowsThatHaveIt() =>
        Assert.Equal(
            ["tls-handshake cpu", "tls-4k cpu", "tls-64k cpu", "tls-handshake cpu node", "tls-4k cpu node", "tls-64k cpu node"],
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
    public void Plan_AnotherBuild_HasItsServersWithTheSameDispatchAsPeersWithoutRequirements()
    {
        var plan = new HttpPlan(AllSides(quick: false, filter: null) with { Earlier = new FileInfo("/old/bin/it.dll") });

        Assert.Equal(["Adaptive", "Inline", "Node"], plan.Challengers.Select(static side => side.Name));
        Assert.Equal(
            ["Adaptive of the earlier build", "Inline of the earlier build", "Node of the earlier build"],
            plan.PeersOf(plan.Challengers).Select(static side => side.Name));
        foreach (var side in plan.Challengers)
        {
            var peer = plan.PeerOf(side);
            Assert.Equal("/old/bin", peer.Folder);
            Assert.Equal((side.Dispatch, side.Switches), (peer.Dispatch, peer.Switches));
            Assert.Equal(default, plan.TargetOf(plan.Scenarios[0], HttpMetric.Cpu, side));
        }

        Assert.Empty(plan.Memory);
        Assert.Null(plan.Stalls);
        Assert.All(plan.Scenarios, scenario => Assert.Empty(plan.References(scenario, plan.Challengers)));
    }

    [Fact]
    public void Plan_FilterWithoutARow_IsRefused() =>
        Assert.Throws<BenchmarkException>(() => new HttpPlan(Options("no such row")));

    [Fact]
    public void Plan_Full_ComparesEverySideEverywhere()
    {
        var plan = new HttpPlan(AllSides(quick: false, filter: null));

        Assert.Equal(4, plan.Challengers.Count);
        Assert.All(plan.Scenarios, scenario => Assert.Equal(
            plan.Challengers.Where(side => !scenario.IsOfDefault || side.IsDefault), plan.Sides(scenario)));
    }

    [Fact]
    public void Plan_QuickWithFilter_ComparesTheReferencesOncePerLoad()
    {
        var plan = new HttpPlan(AllSides(quick: true, filter: " cpu"));

        Assert.Contains(plan.Scenarios, static scenario => scenario.IsVariant);
        Assert.All(plan.Scenarios, scenario => Assert.Equal(
            scenario.IsOfDefault ? ["Adaptive"]
                : !scenario.IsVariant ? ["sockets inline", "Adaptive", "Inline", "Node"]
                : scenario.Name == "open-loop" ? ["Adaptive", "Node"]
                : scenario.Name == "low-rate" ? ["Adaptive", "Inline", "Node"]
                : ["sockets inline", "Adaptive", "Node"],
            plan.Sides(scenario).Select(side => side.Name)));
    }

    [Fact]
    public void Plan_FilterForAdaptiveAgainstInline_RunsBoth()
    {
        var plan = new HttpPlan(AllSides(quick: true, "ping cpu vs inline"));

        Assert.Equal(["Adaptive", "Inline"], plan.Challengers.Select(side => side.Name));
        Assert.Equal(
            ("ping cpu vs inline", "Adaptive", "Inline"),
            Assert.Single(plan.References(Assert.Single(plan.Scenarios), plan.Challengers)
                .Select(pair => (pair.Row.Name, pair.Adaptive.Name, pair.Reference.Name))));
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
        Assert.Equal(["one blocks p99.9", "no blocker p99.9"], plan.Stalls!.RowNames);
        Assert.Null(new HttpPlan(Options("ping cpu")).Stalls);
    }

    // What stock sockets take on all CPUs is another figure than what they take on one.
    [Theory]
    [InlineData("open-loop", 2)]
    [InlineData("open-loop p99-90", 1)]
    [InlineData("unpinned-open-loop", 1)]
    [InlineData("low-rate", 0)]
    [InlineData("ping", 0)]
    public void CapacitySettings_Filter_AreTheSettingsOfTheOpenLoop(string filter, int expected)
    {
        var plan = new HttpPlan(Options(filter));

        Assert.Equal(expected, plan.CapacitySettings.Count());
        Assert.All(
            plan.CapacitySettings,
            setting => Assert.Contains(plan.Scenarios, scenario => scenario.Setting == setting && scenario.NeedsCapacity));
    }

    [Fact]
    public void Sides_OfASetting_AreThoseOfItsScenariosAndOfTheIdleRows()
    {
        var plan = new HttpPlan(AllSides(quick: false, filter: null));

        Assert.Equal(plan.Challengers, plan.Sides(ServerSetting.Usual));
        Assert.Equal(["Adaptive"], plan.Sides(ServerSetting.Unpinned).Select(static side => side.Name));
        Assert.Empty(new HttpPlan(Options("unpinned")).Sides(ServerSetting.Usual));
        Assert.Empty(new HttpPlan(Options("idle")).Sides(ServerSetting.Unpinned));
    }

    [Fact]
    public void RowNames_Scenario_AreItsMetricsAndReferences()
    {
        var plan = new HttpPlan(AllSides(quick: true, "ping cpu"));

        Assert.Equal(
            [
                "ping cpu sockets-inline", "ping cpu", "ping cpu inline", "ping cpu node",
                "ping cpu vs inline", "ping cpu vs sockets-inline",
            ],
            plan.RowNames(plan.Scenarios[0]));
    }

    [Fact]
    public void Budget_QuickWithEveryRow_IsWithinTwentyOneMinutes() => Assert.InRange(
        new HttpPlan(AllSides(quick: true, filter: null) with { EveryRow = true }).Budget,
        TimeSpan.FromMinutes(10),
        TimeSpan.FromMinutes(21));

    [Fact]
    public void Budget_QuickWithAllSides_IsWithinFiveMinutes() => Assert.InRange(
        new HttpPlan(AllSides(quick: true, filter: null)).Budget, TimeSpan.FromMinutes(3), TimeSpan.FromMinutes(5));

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

    private static BenchmarkOptions AllSides(bool quick, string? filter) =>
        new(quick, null, filter, HttpPlan.DefaultDispatch, NoiseFloor: false, SocketsInline: true);

    private static BenchmarkOptions Options(string? filter = null, bool quick = true, bool noiseFloor = false) =>
        new(quick, null, filter, [DispatchMode.Adaptive, DispatchMode.Node], noiseFloor);
}
