using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Benchmarks.Tests.Slices;

[Collection(nameof(ProcessWideCollection))]
public sealed class SliceContestTests
{
    private static readonly ContestLengths s_lengths = new(3, TimeSpan.FromMilliseconds(40));

    [Fact]
    public async Task MeasureAsync_TwoSides_ComparesEachFigureOfTheSameSlices()
    {
        var ours = Side("ours", static count => new Slice(count, count * 100_000.0, count * 30_000.0));
        var theirs = Side("peer", static count => new Slice(count, count * 200_000.0, count * 40_000.0));

        var rows = await MeasureAsync(new SliceContest([
            new("time", ours, theirs, SliceFigure.Time, new RowTarget(0.5, 0.4)),
            new("CPU", ours, theirs, SliceFigure.Cpu),
            new("rate", ours, theirs, SliceFigure.Rate, new RowTarget(0.4, null)),
        ]));

        Assert.Equal([("time", 0.5, true), ("CPU", 0.75, null), ("rate", 0.5, (bool?)false)], rows.Select(
            static measured => (measured.Row.Name, measured.Row.Ratio, measured.Row.Met)));
        Assert.Equal((10_000.0, "peer"), (rows[2].Row.Ours, rows[2].Row.Peer));
    }

    [Fact]
    public async Task MeasureAsync_ClockThatHalvesItsSpeedInTheMiddleOfARound_ComparesEqualSidesAsEqual()
    {
        var runs = 0;
        var contest = new SliceContest([new("row", Clocked("ours"), Clocked("peer"), SliceFigure.Time)]);

        var row = Assert.Single(await MeasureAsync(contest)).Row;

        Assert.InRange(row.Ratio, 0.99, 1.01);

        // Both sides run four times in a round; fast in the first half of each, slow in the second.
        SliceSide Clocked(string name) =>
            Side(name, count => new Slice(count, count * (runs++ / SliceContest.UsualSlices % 2 == 0 ? 100_000 : 200_000), 1));
    }

    [Fact]
    public async Task MeasureAsync_SideThatFails_EndsTheSidesThatWereOpened()
    {
        var opened = new FixedLoad(static count => new Slice(count, count, count));
        var contest = new SliceContest([
            new("row", new SliceSide("ours", () => opened), new SliceSide("peer", static () => throw new NotSupportedException()),
                SliceFigure.Time),
        ]);

        await Assert.ThrowsAsync<NotSupportedException>(() => MeasureAsync(contest));
        Assert.True(opened.IsDisposed);
    }

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

        await MeasureAsync(new SliceContest([new("row", side, Side("peer", Plain), SliceFigure.Time)]) { PoolThreads = 3 });

        Assert.Equal((3, 3), seen);
        ThreadPool.GetMinThreads(out var minimumAfter, out _);
        ThreadPool.GetMaxThreads(out var maximumAfter, out _);
        Assert.Equal((minimum, maximum), (minimumAfter, maximumAfter));
    }

    [Fact]
    public async Task AgainstItself_Rows_MeasureThePeerTwiceWithoutTarget()
    {
        var contest = new SliceContest([
            new("row", Side("ours", Plain), Side("peer", static count => new Slice(count, count * 2e6, count)), SliceFigure.Time,
                new RowTarget(0.5, null)),
        ]);

        var row = Assert.Single(await MeasureAsync(contest.AgainstItself()!)).Row;

        Assert.Equal(("row noise", 1.0, (bool?)null), (row.Name, row.Ratio, row.Met));
    }

    [Fact]
    public void Where_SomeRows_KeepsThose()
    {
        var contest = new SliceContest([
            new("a", Side("ours", Plain), Side("peer", Plain), SliceFigure.Time),
            new("b", Side("ours", Plain), Side("peer", Plain), SliceFigure.Time),
        ]);

        Assert.Equal("b", Assert.Single(contest.Where(static name => name == "b")!.Rows).Name);
        Assert.Null(contest.Where(static _ => false));
    }

    [Theory]
    [InlineData(1_000, 10_000)]
    [InlineData(30_000_000, 1)]
    public void OperationsOf_Load_TakesAboutAsLongAsASlice(double nanoseconds, int expected)
    {
        var load = new FixedLoad(count => new Slice(count, count * nanoseconds, 0));

        Assert.Equal(expected, SliceContest.OperationsOf(load, TimeSpan.FromMilliseconds(10)));
    }

    [Fact]
    public void LongWait_SliceInWhichTheMachineStoodStill_DoesNotCount()
    {
        var round = Slice.Sum([Waits(1), Waits(1_000_000), Waits(101)]);

        Assert.Equal(199, SliceFigure.LongWait.Of(round));
        Assert.Equal(150, SliceFigure.MedianWait.Of(round));

        static Slice Waits(int first) => new(100, 1, 1, Enumerable.Range(first, 100).ToArray());
    }

    private static Slice Plain(int count) => new(count, count * 1e6, count);

    private static SliceSide Side(string name, Func<int, Slice> run) => new(name, () => new FixedLoad(run));

    private static async Task<List<MeasuredRow>> MeasureAsync(IRowSource contest)
    {
        var rows = new List<MeasuredRow>();
        await contest.MeasureAsync(s_lengths, rows.Add, TestContext.Current.CancellationToken);
        return rows;
    }
}
