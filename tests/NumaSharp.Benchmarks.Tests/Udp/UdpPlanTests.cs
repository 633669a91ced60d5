using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Udp;

namespace NumaSharp.Benchmarks.Tests.Udp;

public sealed class UdpPlanTests
{
    [Fact]
    public void Planned_Full_IsEverything() => Assert.Equal(Rows(UdpScenario.All), Rows(Planned(quick: false)));

    [Fact]
    public void Planned_QuickWithEveryRow_IsEverything() => Assert.Equal(
        Rows(UdpScenario.All),
        Rows(UdpScenario.Planned(new BenchmarkOptions(
            Quick: true, Json: null, Filter: null, Dispatch: [], NoiseFloor: false, EveryRow: true))));

    [Fact]
    public void Planned_Quick_IsEveryPairThatHasARequirement()
    {
        var quick = Planned(quick: true);

        Assert.All(quick.SelectMany(static scenario => scenario.Pairs), static pair => Assert.True(pair.IsRequired));
        Assert.Equal(
            UdpScenario.All.SelectMany(static scenario => scenario.Pairs).Count(static pair => pair.IsRequired),
            quick.Sum(static scenario => scenario.Pairs.Count));
    }

    // Or a row that has none could be measured only in half an hour.
    [Fact]
    public void Planned_QuickWithFilter_IsWhatTheFilterNames() => Assert.Equal(
        ["send 64 cpu ours vs naive", "send 64 rate ours vs naive"], Rows(Planned(quick: true, "SEND 64 CPU ours vs naive")));

    [Fact]
    public void Planned_FilterWithoutARow_IsRefused()
    {
        var refusal = Assert.Throws<BenchmarkException>(() => Planned(quick: false, "no such row"));

        Assert.Contains("no such row", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Budget_Quick_IsWithinFiveMinutes() => Assert.InRange(
        UdpRunLengths.Quick.Budget(Planned(quick: true)), TimeSpan.FromMinutes(3), TimeSpan.FromMinutes(5));

    [Fact]
    public void Budget_QuickWithEveryRow_IsWithinTenMinutes() => Assert.InRange(
        UdpRunLengths.Quick.Budget(UdpScenario.All), TimeSpan.FromMinutes(5), TimeSpan.FromMinutes(10));

    [Fact]
    public void Budget_Full_IsWithinThirtyFiveMinutes() => Assert.InRange(
        UdpRunLengths.Full.Budget(UdpScenario.All), TimeSpan.FromMinutes(20), TimeSpan.FromMinutes(35));

    private static IReadOnlyList<UdpScenario> Planned(bool quick, string? filter = null) =>
        UdpScenario.Planned(new BenchmarkOptions(quick, Json: null, filter, Dispatch: [], NoiseFloor: false));

    private static string[] Rows(IEnumerable<UdpScenario> scenarios) =>
    [
        .. from scenario in scenarios
           from pair in scenario.Pairs
           from metric in scenario.Metrics(pair)
           select scenario.RowName(pair, metric.Name),
    ];
}
