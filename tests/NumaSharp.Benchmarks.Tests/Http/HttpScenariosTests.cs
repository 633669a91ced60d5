using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Http;

public sealed class HttpScenariosTests
{
    private static readonly ServerSide s_adaptive = ServerSide.Ours(DispatchMode.Adaptive);
    private static readonly ServerSide s_inline = ServerSide.Ours(DispatchMode.Inline);
    private static readonly ServerSide s_node = ServerSide.Ours(DispatchMode.Node);

    private static readonly ReferenceRow[] s_references =
        [.. HttpScenarios.All.SelectMany(static scenario => scenario.ReferenceRows)];

    [Fact]
    public void RowName_AllScenariosMetricsAndSides_AreUnique()
    {
        var names =
            from scenario in HttpScenarios.All
            from metric in HttpMetric.All
            from side in new[] { s_adaptive, s_inline, s_node, ServerSide.StockAgain, ServerSide.SocketsInline }
            select scenario.RowName(metric, side);

        Assert.Equal(HttpScenarios.All.Count * HttpMetric.All.Count * 5, names.Distinct(StringComparer.Ordinal).Count());
    }

    [Theory]
    [InlineData("ping", 0.55, 0.90)]
    [InlineData("get-4k", 0.55, 0.90)]
    [InlineData("get-64k", 0.50, 0.70)]
    [InlineData("post-512", 0.55, 0.95)]
    [InlineData("post-4k", 0.42, 0.80)]
    [InlineData("post-64k", 0.28, 0.55)]
    [InlineData("pipelined-x16", 0.80, 0.85)]
    [InlineData("tls-4k", 0.70, 0.85)]
    [InlineData("tls-64k", 0.62, 0.85)]
    [InlineData("tls-handshake", 0.90, null)]
    [InlineData("churn-1", 0.65, null)]
    [InlineData("churn-10", 0.60, null)]
    [InlineData("unix", 1.00, null)]
    [InlineData("websocket", 0.80, 1.00)]
    [InlineData("h2-16x16", 0.95, 1.00)]
    [InlineData("h2-1x100", 0.95, 1.00)]
    public void TargetsOf_Scenario_RequiresTheCpuOfItsDispatch(string name, double onLoop, double? onNode)
    {
        var scenario = Assert.Single(HttpScenarios.All, scenario => scenario.Name == name && scenario.MetricSuffix.Length == 0);

        Assert.Equal(onLoop, scenario.TargetsOf(s_adaptive).Cpu);
        Assert.Equal(onLoop, scenario.TargetsOf(s_inline).Cpu);
        Assert.Equal(onNode, scenario.TargetsOf(s_node).Cpu);
        Assert.Null(scenario.TargetsOf(ServerSide.StockAgain).Cpu);
        Assert.Null(scenario.TargetsOf(ServerSide.SocketsInline).Cpu);
    }

    [Theory]
    [InlineData("ping", 0.55, 0.60, 0.60)]
    [InlineData("get-4k", 0.55, 0.60, 0.60)]
    [InlineData("get-64k", 0.50, 0.50, 0.50)]
    [InlineData("post-512", 0.55, 0.60, 0.65)]
    [InlineData("post-4k", 0.42, 0.50, 0.50)]
    [InlineData("post-64k", 0.28, 0.30, 0.40)]
    public void All_BasicRow_HasACpuFor64And256And512ConnectionsAndOneRate(string name, params double[] cpu)
    {
        var scenarios = HttpScenarios.All.Where(scenario => scenario.Name == name).ToArray();

        Assert.Equal([64, 256, 512], scenarios.Select(scenario => ((WrkLoad)scenario.Load).Connections));
        Assert.Equal(cpu, scenarios.Select(scenario => scenario.TargetsOf(s_adaptive).Cpu!.Value));
        Assert.NotNull(Assert.Single(scenarios.Select(scenario => scenario.TargetsOf(s_adaptive).Rate).Distinct()));
        Assert.NotNull(Assert.Single(scenarios.Select(scenario => scenario.TargetsOf(s_node).Rate).Distinct()));
    }

    [Theory]
    [InlineData("open-loop", "-30", 0.80, 1.10)]
    [InlineData("open-loop", "-60", null, null)]
    [InlineData("low-rate", "-50", 0.35, null)]
    [InlineData("low-rate", "-200", 0.35, null)]
    [InlineData("low-rate", "-500", 0.25, null)]
    [InlineData("sparse", "-1000", 1.00, 1.00)]
    [InlineData("sparse", "-10000", 1.00, 1.00)]
    [InlineData("unpinned-open-loop", "-10", 1.00, 1.00)]
    [InlineData("unpinned-open-loop", "-30", 1.00, 1.00)]
    [InlineData("unpinned-open-loop", "-60", 1.00, 1.00)]
    public void TargetsOf_Rate_RequiresCpuAndTail(string name, string suffix, double? cpu, double? p99)
    {
        var scenario = Assert.Single(HttpScenarios.All, scenario => scenario.Name == name && scenario.MetricSuffix == suffix);

        Assert.Equal((cpu, p99), (scenario.TargetsOf(s_adaptive).Cpu, scenario.TargetsOf(s_adaptive).P99));
    }

    [Theory]
    [InlineData("churn-1", 1)]
    [InlineData("churn-10", 10)]
    public void All_Churn_EndsItsConnectionsAfterSoManyRequests(string name, int requests)
    {
        var loads = HttpScenarios.All.Where(scenario => scenario.Name == name).Select(static scenario => (WrkLoad)scenario.Load);

        Assert.Equal(
            [(64, requests), (256, requests)], loads.Select(static load => (load.Connections, load.RequestsPerConnection)));
    }

    [Fact]
    public void TargetsOf_64KilobytesAt256Connections_RequiresALatency()
    {
        var scenario = Assert.Single(HttpScenarios.All, scenario => scenario.TargetsOf(s_node).P99 is not null);

        Assert.Equal("get-64k p99-256", scenario.RowName(HttpMetric.All.Single(metric => metric.Name == "p99"), s_adaptive));
        Assert.Equal((0.60, 0.80), (scenario.TargetsOf(s_adaptive).P99, scenario.TargetsOf(s_node).P99));
    }

    [Fact]
    public void All_OpenLoop_IsAtPercentagesOfTheCapacity() => Assert.Equal(
        [
            "open-loop cpu-30", "open-loop cpu-60", "open-loop cpu-90",
            "unpinned-open-loop cpu-10", "unpinned-open-loop cpu-30", "unpinned-open-loop cpu-60",
        ],
        HttpScenarios.All.Where(scenario => scenario.NeedsCapacity)
            .Select(scenario => scenario.RowName(HttpMetric.Cpu, s_adaptive)));

    [Fact]
    public void All_Unpinned_IsNeverSlower()
    {
        var scenarios = HttpScenarios.All.Where(static scenario => scenario.Setting == ServerSetting.Unpinned);
        var scenario = Assert.Single(scenarios, static scenario => !scenario.IsVariant);

        Assert.Equal("unpinned cpu", scenario.RowName(HttpMetric.Cpu, s_adaptive));
        Assert.Equal(new ScenarioTargets(Cpu: 1, Rate: 1, P99: 1), scenario.TargetsOf(s_adaptive));
        Assert.Empty(scenario.ReferenceRows);
    }

    // Of 1,000 connections each has a request a second, of 10,000 one in ten seconds.
    [Fact]
    public void All_Sparse_HaveOneRateForManyConnections()
    {
        var scenarios = HttpScenarios.All.Where(static scenario => scenario.Name == "sparse").ToArray();

        Assert.Equal(
            [new OpenLoopLoad(1000, 1000, IsPercent: false), new OpenLoopLoad(10_000, 1000, IsPercent: false)],
            scenarios.Select(static scenario => scenario.Load));
        Assert.All(scenarios, static scenario => Assert.Equal(
            (0.60, true, true), (scenario.OnLoop.CpuGoal, scenario.IsOfDefault, scenario.Setting.IsPinned)));
        Assert.Empty(scenarios.SelectMany(static scenario => scenario.ReferenceRows));
    }

    [Theory]
    [InlineData("ping cpu vs inline", 1.03)]
    [InlineData("low-rate cpu-50 vs inline", 1.15)]
    [InlineData("low-rate cpu-200 vs inline", 1.15)]
    [InlineData("low-rate cpu-500 vs inline", 1.15)]
    [InlineData("ping cpu-256 vs inline", null)]
    public void ReferenceRows_Inline_IsWhatTheWatchdogMayCost(string row, double? target) => Assert.Equal(
        target, Assert.Single(s_references.Where(reference => reference.Name == row).DefaultIfEmpty())?.Target.Required);

    [Theory]
    [InlineData("ping cpu vs sockets-inline", 0.85)]
    [InlineData("ping cpu-256 vs sockets-inline", 0.85)]
    [InlineData("h2-16x16 cpu vs sockets-inline", 0.85)]
    [InlineData("low-rate cpu-50 vs sockets-inline", null)]
    public void ReferenceRows_SocketsInline_IsComparedWhereverARateIs(string row, double? target) => Assert.Equal(
        target, Assert.Single(s_references.Where(reference => reference.Name == row).DefaultIfEmpty())?.Target.Required);

    [Fact]
    public void OfRate_OneAndAHalfTimes_IsTwoThirds() =>
        Assert.Equal(new RowTarget(0.667, 0.5), new ScenarioTargets(Rate: 1.5, RateGoal: 2).OfRate);

    [Fact]
    public void Lengths_QuickAndFull_HaveFiveRoundsAtLeastAndAMiddleOne() =>
        Assert.All(
            [HttpRunLengths.Quick, HttpRunLengths.Full],
            lengths => Assert.True(lengths.Rounds >= 5 && lengths.Rounds % 2 == 1));

    [Fact]
    public void Exists_PipelinedRequests_HaveNoLatency() => Assert.Equal(["cpu", "rate", "bytes"], MetricsOf("pipelined-x16"));

    [Fact]
    public void Exists_ConstantRate_HasATailAndNoRate() =>
        Assert.Equal(["cpu", "p50", "p99", "p99.9", "bytes"], MetricsOf("open-loop"));

    private static IEnumerable<string> MetricsOf(string name)
    {
        var scenario = HttpScenarios.All.First(scenario => scenario.Name == name);
        return HttpMetric.All.Where(metric => metric.Exists(scenario)).Select(metric => metric.Name);
    }
}
