using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Tool.Bench;
using NumaSharp.Tool.Matrix;
using NumaSharp.Tool.Tests.Matrix;
using NumaSharp.Tool.Tests.Run;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tool.Tests.Bench;

public sealed class BenchRunTests
{
    private static readonly BenchLengths s_tiny = new()
    {
        Rounds = 3,
        Run = TimeSpan.FromMilliseconds(1),
        WarmUpPasses = 1,
        HttpRun = TimeSpan.FromMilliseconds(20),
        HttpWarmUp = TimeSpan.Zero,
        MemoryBytes = MatrixPlan.MinSizeBytes,
    };

    public BenchRunTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp bench needs Linux.");

    public static TheoryData<string> Rows => [.. BenchRows.All.Select(static row => row.Name)];

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task MeasureAsync_RowOnThisMachine_HasFiguresOrNamesTheMissingNode(string name)
    {
        var result = await MeasureAsync(NumaPlatform.Default, BenchRows.All.Single(row => row.Name == name));

        if (name == "memory own vs other node")
        {
            // Or why its memory cannot be taken.
            Assert.NotEqual(result.Round is null, result.Reason is null);
            return;
        }

        Assert.Null(result.Reason);
        Assert.True(result.Round is { Ours: > 0, Theirs: > 0, Ratio: > 0 });
        Assert.True(double.IsFinite(result.Spread));
    }

    [Fact]
    public void Rows_AllOfThem_HaveNamesOfTheirOwn() =>
        Assert.Distinct(BenchRows.All.Select(static row => row.Name));

    [Fact]
    public async Task MeasureAsync_TwoNodes_ComparesWithTheFarthestMemory()
    {
        var machine = new FakeMachine(Node(0, "0"), Node(1, "1"), Node(4, ""));
        var result = await MeasureAsync(machine.Platform, BenchRows.All.Single(static row => row.Unit == "ns/read"));

        Assert.Null(result.Reason);
        Assert.True(result.Round is { Ours: > 0, Theirs: > 0 });
        Assert.Equal((2, 2), (machine.Reserved, machine.Released));
    }

    [Fact]
    public async Task MeasureAsync_OneNode_SaysThatThereIsNoOther()
    {
        var result = await MeasureAsync(
            new FakeMachine(Node(0, "0")).Platform, BenchRows.All.Single(static row => row.Unit == "ns/read"));

        Assert.Null(result.Round);
        Assert.Equal("there is no other node with memory", result.Reason);
    }

    [Fact]
    public async Task MeasureAsync_OtherNodeIsFull_IsTheReason()
    {
        var machine = new FakeMachine(Node(0, "0"), Node(1, "1", 1 << 20));
        var result = await MeasureAsync(machine.Platform, BenchRows.All.Single(static row => row.Unit == "ns/read"));

        Assert.Equal("node 1 has too little free memory", result.Reason);
        Assert.Equal((1, 1), (machine.Reserved, machine.Released));
    }

    [Fact]
    public async Task MeasureAsync_PinningRefused_IsTheReason()
    {
        var machine = new FakeMachine(Node(0, "0")) { ForbiddenCpus = CpuSet.FromIds(0) };
        var result = await MeasureAsync(machine.Platform, Row(static _ => throw new InvalidOperationException()));

        Assert.Equal("the thread could not be pinned to CPUs 0 (EPERM)", result.Reason);
    }

    [Fact]
    public async Task MeasureAsync_RowThatCannotBeMeasured_IsFollowedByTheOthers()
    {
        var done = new List<int>();
        var results = await new BenchRun(Context(NumaPlatform.Default)).MeasureAsync(
            [Row(static _ => throw new NumaException("no luck")), Row(static _ => [new(1, 2)])], new Recorder(done.Add));

        Assert.Equal(["no luck", null], results.Select(static result => result.Reason));
        Assert.Equal([1, 2], done);
    }

    [Fact]
    public async Task MeasureAsync_MachineRefusesSomething_IsTheReason()
    {
        Exception[] refusals =
        [
            new SocketException((int)SocketError.ConnectionReset),
            new IOException("broken pipe"),
            new UnauthorizedAccessException("no access"),
            new InsufficientMemoryException("no memory"),
            new OperationCanceledException("given up"),
        ];
        foreach (var refusal in refusals)
        {
            Assert.Equal(refusal.Message, (await MeasureAsync(NumaPlatform.Default, Row(_ => throw refusal))).Reason);
        }
    }

    [Fact]
    public async Task MeasureAsync_ErrorOfTheProgram_IsNotHidden() =>
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => MeasureAsync(NumaPlatform.Default, Row(static _ => throw new InvalidOperationException())));

    [Fact]
    public async Task MeasureAsync_RowOnAllCpus_IsMeasuredFirstAndStaysInItsPlace()
    {
        var order = "";
        var results = await new BenchRun(Context(NumaPlatform.Default)).MeasureAsync(
            [Row(_ => Add('a')), Row(_ => Add('b')) with { IsPinned = false }], new Recorder());

        Assert.Equal("ba", order);
        Assert.Equal([true, false], results.Select(static result => result.Row.IsPinned));

        BenchRound[] Add(char row)
        {
            order += row;
            return [new(1, 2)];
        }
    }

    [Fact]
    public async Task MeasureAsync_Rounds_GiveTheOneWithTheMedianRatio()
    {
        // The ratios are 3, 0.5, 2, 1, 4: half of what is between the quartiles is 1.
        var result = await MeasureAsync(
            NumaPlatform.Default, Row(static _ => [new(3, 1), new(1, 2), new(8, 4), new(5, 5), new(4, 1)]));

        Assert.Equal(new BenchRound(8, 4), result.Round);
        Assert.Equal(0.5, result.Spread);
    }

    [Fact]
    public async Task MeasureAsync_RowWithoutTime_HasNoFigures() =>
        Assert.Equal(
            "the clock has not moved",
            (await MeasureAsync(NumaPlatform.Default, Row(static _ => [new(0, 0)]))).Reason);

    [Fact]
    public void Alternate_Rounds_TakeTurnsInTurn()
    {
        var order = "";
        var rounds = new BenchContest(s_tiny, CancellationToken.None).Alternate(() => Add('a', 1), () => Add('b', 2));

        Assert.Equal("abbaab", order);
        Assert.All(rounds, static round => Assert.Equal(new BenchRound(1, 2), round));

        double Add(char side, double figure)
        {
            order += side;
            return figure;
        }
    }

    [Fact]
    public void Compare_Steps_AreKept()
    {
        // A nanosecond an operation; the other side costs twice as much.
        var rounds = new BenchContest(s_tiny, CancellationToken.None).Compare(Side(1), Side(2));

        Assert.All(rounds, static round => Assert.Equal(new BenchRound(1, 2), round));

        static BenchSide Side(int cost) => new(
            count =>
            {
                Assert.Equal(0, count % 64);
                return (double)cost * count;
            },
            Step: 64);
    }

    [Fact]
    public async Task MeasureAsync_CancelledDuringARow_EndsBetweenTwoRounds()
    {
        using var cancellation = new CancellationTokenSource();
        var rounds = 0;
        var row = Row(context => context.Contest.Alternate(
            () =>
            {
                rounds++;
                cancellation.Cancel();
                return 1;
            },
            static () => 1));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => new BenchRun(Context(NumaPlatform.Default, cancellation.Token)).MeasureAsync([row], new Recorder()));

        Assert.Equal(1, rounds);
    }

    [Theory]
    [InlineData("0-3", 2, null)]
    [InlineData("0-1", 1, "A server and its clients are on two hardware threads of one core.")]
    [InlineData("0", 0, "There is one CPU: a server shares it with its clients.")]
    public void Choose_Cpus_AreOfTwoCoresOrTheNoteSaysSo(string cpus, int clients, string? note)
    {
        var topology = new NumaTopology("test", [Node(0, cpus)])
        {
            Cores = [new(0, 0, CpuSet.ParseList("0-1")), new(0, 1, CpuSet.ParseList("2-3"))],
        };

        Assert.Equal(new BenchCpus(0, clients, note), BenchCpus.Choose(topology));
    }

    [Fact]
    public void Choose_TwoNodes_StaysOnOne() => Assert.Equal(
        new BenchCpus(0, 8, Note: null), BenchCpus.Choose(new NumaTopology("test", [Node(0, "0,8"), Node(1, "1,9")])));

    private static async Task<BenchResult> MeasureAsync(NumaPlatform platform, BenchRow row) =>
        Assert.Single(await new BenchRun(Context(platform)).MeasureAsync([row], new Recorder()));

    private static BenchContext Context(NumaPlatform platform, CancellationToken cancellation = default) =>
        new(platform, platform.Topology.Read(), s_tiny, NodeRun.Launcher, cancellation);

    private static BenchRow Row(Func<BenchContext, BenchRound[]> measure) => new("row", "peer", "ns/op", IsPinned: true, measure);

    private sealed class Recorder(Action<int>? action = null) : IProgress<int>
    {
        public void Report(int value) => action?.Invoke(value);
    }
}
