using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Measurement;

[Collection(nameof(ProcessWideCollection))]
public sealed class ContestTests
{
    private static readonly ContestLengths s_lengths = new(3, TimeSpan.FromMilliseconds(40));

    [Fact]
    public async Task MeasureAsync_TwoSides_ComparesTheirFastestRuns()
    {
        var calls = 0;
        // Every second run of theirs is disturbed.
        var theirs = Side("peer", count => new Slice(count, count * (calls++ % 2 == 0 ? 4e6 : 4e8), 0));
        var row = Assert.Single(await MeasureAsync(
            new Contest([new PeerRow("row", Fixed("ours", 1e6), theirs, new RowTarget(0.3, 0.2))]))).Row;

        Assert.Equal(("row", "peer", 0.25, true), (row.Name, row.Peer, row.Ratio, row.Met));
    }

    [Fact]
    public async Task MeasureAsync_SeveralFigures_AreOfTheSameSlices()
    {
        var ours = Side("ours", static count => new Slice(count, count * 100_000.0, count * 30_000.0));
        var theirs = Side("peer", static count => new Slice(count, count * 200_000.0, count * 40_000.0));

        var rows = await MeasureAsync(new Contest([
            new PeerRow("time", ours, theirs, new RowTarget(0.5, 0.4)),
            new PeerRow("CPU", ours, theirs, figure: SliceFigures.Cpu),
            new PeerRow("rate", ours, theirs, new RowTarget(0.4, null), SliceFigures.Rate),
        ]));

        Assert.Equal([("time", 0.5, true), ("CPU", 0.75, null), ("rate", 0.5, (bool?)false)], rows.Select(
            static measured => (measured.Row.Name, measured.Row.Ratio, measured.Row.Met)));
        Assert.Equal((10_000.0, "peer"), (rows[2].Row.Ours, rows[2].Row.Peer));
    }

    [Fact]
    public async Task MeasureAsync_TurnsWithAClockThatHalvesItsSpeedInTheMiddleOfARound_ComparesEqualSidesAsEqual()
    {
        const int Turns = 4;
        var runs = 0;
        var peers = new PeerRow("row", Clocked("ours"), Clocked("peer"));
        var contest = new Contest([peers]) { Turns = Turns, Runs = 1, Share = 0.25 };

        var row = Assert.Single(await MeasureAsync(contest)).Row;

        Assert.InRange(row.Ratio, 0.99, 1.01);

        // Both sides run four times in a round; fast in the first half of each, slow in the second.
        Contestant Clocked(string name) =>
            Side(name, count => new Slice(count, count * (runs++ / Turns % 2 == 0 ? 100_000 : 200_000), 1));
    }

    [Fact]
    public async Task MeasureAsync_SideThatDoesNotWork_IsNotMeasured()
    {
        var broken = new Contestant(() => "broken", () => throw new InvalidOperationException("opened"))
        {
            Verify = () => throw new NotSupportedException("no pattern"),
        };

        await Assert.ThrowsAsync<NotSupportedException>(() => MeasureAsync(new Contest([new PeerRow("row", broken, broken)])));
    }

    [Fact]
    public async Task MeasureAsync_SideThatFails_EndsTheSidesThatWereOpened()
    {
        var opened = new FixedLoad(static count => new Slice(count, count, count));
        var contest = new Contest([
            new PeerRow(
                "row",
                new Contestant(() => "ours", () => opened),
                new Contestant(() => "peer", static () => throw new NotSupportedException())),
        ]);

        await Assert.ThrowsAsync<NotSupportedException>(() => MeasureAsync(contest));
        Assert.True(opened.IsDisposed);
    }

    [Fact]
    public async Task MeasureAsync_Cancelled_Ends() =>
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            new Contest([new PeerRow("row", Fixed("ours", 1e6), Fixed("peer", 1e6))])
                .MeasureAsync(s_lengths, _ => { }, new CancellationToken(canceled: true)));

    [Fact]
    public async Task MeasureAsync_PoolThreads_AreFixedMeanwhileAndGivenBack()
    {
        ThreadPool.GetMinThreads(out var minimum, out _);
        ThreadPool.GetMaxThreads(out var maximum, out _);
        var seen = (0, 0);
        var side = Side("side", count =>
        {
            ThreadPool.GetMinThreads(out seen.Item1, out _);
            ThreadPool.GetMaxThreads(out seen.Item2, out _);
            return new Slice(count, count * 1e6, count);
        });

        await MeasureAsync(new Contest([new PeerRow("row", side, Fixed("peer", 1e6))]) { PoolThreads = 3 });

        Assert.Equal((3, 3), seen);
        ThreadPool.GetMinThreads(out var minimumAfter, out _);
        ThreadPool.GetMaxThreads(out var maximumAfter, out _);
        Assert.Equal((minimum, maximum), (minimumAfter, maximumAfter));
    }

    [Fact]
    public void Where_SomeRows_KeepsThose()
    {
        var ours = Fixed("ours", 1);
        var contest = new Contest([new PeerRow("a", ours, Fixed("p", 1)), new PeerRow("b", ours, Fixed("q", 1))]);

        Assert.Equal("b", Assert.Single(contest.Where(name => name == "b")!.Rows).Name);
        Assert.Null(contest.Where(_ => false));
    }

    [Fact]
    public async Task AgainstItself_Rows_MeasureThePeerTwiceWithoutTarget()
    {
        var (ours, theirs) = (Fixed("ours", 1e6), Fixed("peer", 4e6));
        var contest = new Contest([
            new PeerRow("row", ours, theirs, new RowTarget(0.5, null)),
            new PeerRow("rate", ours, theirs, default, SliceFigures.Rate),
        ]);

        var rows = await MeasureAsync(contest.AgainstItself()!);

        Assert.Equal([("row noise", 1.0, null), ("rate noise", 1.0, (bool?)null)], rows.Select(
            static measured => (measured.Row.Name, measured.Row.Ratio, measured.Row.Met)));
    }

    [Fact]
    public void AgainstItself_RowsWithTheSamePeer_AreOneRowPerFigure()
    {
        var (ours, theirs) = (Fixed("ours", 1e6), Fixed("peer", 4e6));
        var contest = new Contest([
            new PeerRow("a", ours, theirs), new PeerRow("b", Fixed("ours", 2e6), theirs, figure: SliceFigures.Time),
            new PeerRow("c", ours, theirs, figure: SliceFigures.Cpu), new PeerRow("d", ours, Fixed("peer", 4e6)),
        ]);

        Assert.Equal(["a noise", "c noise", "d noise"], contest.AgainstItself()!.Rows.Select(static row => row.Name));
    }

    [Theory]
    [InlineData(100, 1, 120_000)]
    [InlineData(100, 64, 120_000)]
    [InlineData(5_000_000_000, 64, 64)]
    public void OperationsOf_Load_TakesAboutAsLongAsARun(double nanoseconds, int step, int expected)
    {
        var load = new FixedLoad(count => new Slice(count, count * nanoseconds, 0));

        Assert.Equal(expected, Contest.OperationsOf(load, step, TimeSpan.FromMilliseconds(12)));
    }

    [Fact]
    public void Judge_SlowestAgainstFastest_IsOfMediansInTimesOfTheReferenceBeside()
    {
        Contestant[] sides = [Fixed("a", 1), Fixed("a's", 1), Fixed("b", 1), Fixed("b's", 1)];
        var row = new SlowestAgainstFastest(
            "flat", [(sides[0], sides[1]), (sides[2], sides[3])], "of 64B", new RowTarget(1.3, 1.15));

        // The clock halves its speed between the two in the first round, and before both in the third.
        double[][] taken = [[10, 10, 20], [10, 10, 20], [25, 12, 80], [20, 10, 20]];
        var judged = row.Judge(sides.Zip(taken).ToDictionary(
            static side => side.First, static side => side.Second.Select(static one => new Slice(1, one, 0)).ToArray())).Row;

        Assert.Equal(sides, row.Sides);
        Assert.Equal((1.25, 1.0, 1.25, true), (judged.Ours, judged.Theirs, judged.Ratio, judged.Met));
        Assert.Equal("of 64B", judged.Unit);
    }

    private static Contestant Fixed(string name, double nanoseconds) =>
        Side(name, count => new Slice(count, count * nanoseconds, count));

    private static Contestant Side(string name, Func<int, Slice> run) => new(() => name, () => new FixedLoad(run));

    private static async Task<List<MeasuredRow>> MeasureAsync(IRowSource contest)
    {
        var rows = new List<MeasuredRow>();
        await contest.MeasureAsync(s_lengths, rows.Add, TestContext.Current.CancellationToken);
        return rows;
    }
}
