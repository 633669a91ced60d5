using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Measurement;

public sealed class ContestTests
{
    private static readonly ContestLengths s_lengths = new(3, TimeSpan.FromMilliseconds(1));

    [Fact]
    public async Task MeasureAsync_TwoSides_ComparesTheirFastestParts()
    {
        var calls = 0;
        // Every second part of theirs is disturbed.
        var theirs = new Contestant(() => "peer", _ => calls++ % 2 == 0 ? 4_000_000 : 400_000_000);
        var rows = await MeasureAsync(new Contest([new Duel("row", Fixed("ours", 1_000_000), theirs, new RowTarget(0.3, 0.2))]));

        var row = Assert.Single(rows).Row;
        Assert.Equal(("row", "peer", 0.25, true), (row.Name, row.Peer, row.Ratio, row.Met));
    }

    [Fact]
    public async Task MeasureAsync_SideThatDoesNotWork_IsNotMeasured()
    {
        var measured = false;
        var broken = new Contestant(() => "broken", _ => throw new InvalidOperationException("measured"))
        {
            Verify = () => throw new NotSupportedException("no pattern"),
        };

        await Assert.ThrowsAsync<NotSupportedException>(() => new Contest([new Duel("row", broken, broken)])
            .MeasureAsync(s_lengths, _ => measured = true, TestContext.Current.CancellationToken));
        Assert.False(measured);
    }

    [Fact]
    public async Task MeasureAsync_Cancelled_Ends() =>
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            new Contest([new Duel("row", Fixed("ours", 1_000_000), Fixed("peer", 1_000_000))])
                .MeasureAsync(s_lengths, _ => { }, new CancellationToken(canceled: true)));

    [Fact]
    public void Where_SomeRows_KeepsThose()
    {
        var ours = Fixed("ours", 1);
        var contest = new Contest([new Duel("a", ours, Fixed("p", 1)), new Duel("b", ours, Fixed("q", 1))]);

        Assert.Equal("b", Assert.Single(contest.Where(name => name == "b")!.Rows).Name);
        Assert.Null(contest.Where(_ => false));
    }

    [Fact]
    public async Task AgainstItself_Duel_MeasuresThePeerTwice()
    {
        var duel = new Duel("row", Fixed("ours", 1_000_000), Fixed("peer", 4_000_000), new RowTarget(0.5, null));
        var contest = new Contest([duel]);

        var row = Assert.Single(await MeasureAsync(contest.AgainstItself()!)).Row;

        Assert.Equal(("row noise", 1.0), (row.Name, row.Ratio));
        Assert.Null(row.Met);
    }

    [Theory]
    [InlineData(100, 1, 120_000)]
    [InlineData(100, 64, 120_000)]
    [InlineData(5_000_000_000, 64, 64)]
    public void OperationsOf_Side_TakesAboutAsLongAsAPart(double nanoseconds, int step, int expected)
    {
        var side = new Contestant(() => "side", _ => nanoseconds) { Step = step };

        Assert.Equal(expected, Contest.OperationsOf(side, TimeSpan.FromMilliseconds(12)));
    }

    [Fact]
    public void Judge_SlowestAgainstFastest_IsOfMediansInTimesOfTheReferenceBeside()
    {
        Contestant[] sides = [Fixed("a", 1), Fixed("a's", 1), Fixed("b", 1), Fixed("b's", 1)];
        var row = new SlowestAgainstFastest(
            "flat", [(sides[0], sides[1]), (sides[2], sides[3])], "of 64B", new RowTarget(1.3, 1.15));

        // The clock halves its speed between the two in the first round, and before both in the third.
        var judged = row.Judge([Round(10, 10, 25, 20), Round(10, 10, 12, 10), Round(20, 20, 80, 20)]).Row;

        Assert.Equal(sides, row.Sides);
        Assert.Equal((1.25, 1.0, 1.25, true), (judged.Ours, judged.Theirs, judged.Ratio, judged.Met));
        Assert.Equal("of 64B", judged.Unit);

        Dictionary<Contestant, double> Round(params double[] taken) =>
            sides.Zip(taken).ToDictionary(pair => pair.First, pair => pair.Second);
    }

    private static Contestant Fixed(string name, double nanoseconds) => new(() => name, _ => nanoseconds);

    private static async Task<List<MeasuredRow>> MeasureAsync(IRowSource contest)
    {
        var rows = new List<MeasuredRow>();
        await contest.MeasureAsync(s_lengths, rows.Add, TestContext.Current.CancellationToken);
        return rows;
    }
}
