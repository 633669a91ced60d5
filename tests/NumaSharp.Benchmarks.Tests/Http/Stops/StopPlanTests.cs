using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Stops;

namespace NumaSharp.Benchmarks.Tests.Http.Stops;

public sealed class StopPlanTests
{
    [Fact]
    public void Plan_WithoutFilter_HasEveryModeOverBothProtocols() =>
        Assert.Equal(
            [
                "stop h1 lost", "stop h1 sent",
                "stop h1 lost inline", "stop h1 sent inline",
                "stop h1 lost node", "stop h1 sent node",
                "stop h1 lost threadpool", "stop h1 sent threadpool",
                "stop h2 lost", "stop h2 refused", "stop h2 sent",
                "stop h2 lost inline", "stop h2 refused inline", "stop h2 sent inline",
                "stop h2 lost node", "stop h2 refused node", "stop h2 sent node",
                "stop h2 lost threadpool", "stop h2 refused threadpool", "stop h2 sent threadpool",
            ],
            Rows(new StopPlan(Options())));

    [Fact]
    public void Plan_Filter_LeavesOtherSidesAndProtocolsOut()
    {
        var plan = new StopPlan(Options("H2 lost node"));

        Assert.Equal("h2", Assert.Single(plan.Protocols).Name);
        Assert.Equal(["stop h2 lost node"], Rows(plan));
    }

    [Fact]
    public void Plan_FilterWithoutARow_IsRefused() =>
        Assert.Throws<BenchmarkException>(() => new StopPlan(Options("no such row")));

    [Fact]
    public void Plan_NoiseFloor_ComparesStockWithStock()
    {
        var plan = new StopPlan(Options() with { NoiseFloor = true });

        Assert.All(plan.Protocols, protocol => Assert.False(Assert.Single(plan.Sides(protocol)).IsOurs));
    }

    [Fact]
    public void Rounds_Full_AreTwenty() => Assert.Equal((20, 5), (Rounds(quick: false), Rounds(quick: true)));

    [Fact]
    public void Compare_Counts_AreThoseOfTheRowAndRequiredForTheLost()
    {
        var (ours, theirs) = (new StopCounts(Sent: 100, Lost: 1, Refused: 7), new StopCounts(Sent: 90, Lost: 2, Refused: 5));
        var node = ServerSide.Ours(DispatchMode.Node);
        var rows = StopRow.All.Select(row => row.Compare(StopProtocol.All[1], node, "p", ours, theirs));

        Assert.Equal(
            [
                ("stop h2 lost node", 1.0, 2.0, true),
                ("stop h2 refused node", 7.0, 5.0, null),
                ("stop h2 sent node", 100.0, 90.0, (bool?)null),
            ],
            rows.Select(row => (row.Name, row.Ours, row.Theirs, row.Met)));
    }

    [Fact]
    public void Sum_TwoRounds_AddsEachCount() =>
        Assert.Equal(new StopCounts(11, 22, 33), new StopCounts(1, 2, 3) + new StopCounts(10, 20, 30));

    private static int Rounds(bool quick) => new StopPlan(Options() with { Quick = quick }).Rounds;

    private static string[] Rows(StopPlan plan) =>
    [
        .. from protocol in plan.Protocols
           from side in plan.Sides(protocol)
           from row in plan.Rows(protocol, side)
           select row.NameOf(protocol, side),
    ];

    private static BenchmarkOptions Options(string? filter = null) =>
        new(Quick: false, null, filter, StopPlan.DefaultDispatch, NoiseFloor: false);
}
