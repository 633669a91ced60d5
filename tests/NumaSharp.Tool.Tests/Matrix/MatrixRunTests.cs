using NumaSharp.Core;
using NumaSharp.Tool.Matrix;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class MatrixRunTests
{
    private static readonly MatrixRequest s_request = new()
    {
        Granularity = MatrixGranularity.Cpu,
        SizeBytes = MatrixPlan.MinSizeBytes,
        Repeat = 2,
        TimeLimit = TimeSpan.FromHours(1),
    };

    [Fact]
    public async Task MeasureAsync_WholeMachine_EveryCellRowByRow()
    {
        var machine = new FakeMachine(Node(0, "0-1"), Node(1, "2"), Node(4, ""));
        var done = new List<int>();
        var matrix = await MeasureAsync(machine, s_request, new Recorder(done.Add));

        Assert.Equal(
            [(0, 0), (0, 1), (0, 4), (1, 0), (1, 1), (1, 4), (2, 0), (2, 1), (2, 4)],
            matrix.Cells.Select(static cell => (cell.Row.Cpu, cell.NodeId.Value)));
        Assert.All(matrix.Cells, static cell =>
        {
            Assert.Null(cell.Reason);
            Assert.True(cell.Figures!.ReadTime > TimeSpan.Zero);
            Assert.True(cell.Figures.GigabytesPerSecond > 0);
            Assert.True(cell.Figures.LatencyNanoseconds > 0);
        });
        Assert.Equal(Enumerable.Range(1, 9), done);
        Assert.All(matrix.Columns, column =>
        {
            Assert.Equal("bound", column.Placement);
            Assert.Equal(MatrixPlan.MinSizeBytes / (long)machine.PageSize, column.PagesChecked);
            Assert.Equal(column.PagesChecked, column.PagesThere);
        });
        Assert.Equal((3, 3), (machine.Reserved, machine.Released));
    }

    [Fact]
    public async Task MeasureAsync_BindingRefused_OnlyWhatIsProvenToBeThereIsMeasured()
    {
        var machine = new FakeMachine(Node(0, "0"), Node(1, "1"), Node(2, "")) { RefusesBinding = true };
        var matrix = await MeasureAsync(machine, s_request);

        Assert.Equal(
            [
                null,
                "only 0 of 256 pages are on the node; binding was refused (EPERM)",
                "binding was refused (EPERM), and no CPU of the node can touch its memory first",
            ],
            matrix.Columns.Select(static column => column.Reason));
        Assert.Equal("first touch", matrix.Columns[0].Placement);
        Assert.All(matrix.Cells, static cell => Assert.Equal(cell.NodeId.Value == 0, cell.Figures is not null));
        Assert.Equal(machine.Reserved, machine.Released);
    }

    [Fact]
    public async Task MeasureAsync_BoundAndQueriesRefused_IsMeasuredWithoutTheProof()
    {
        var matrix = await MeasureAsync(
            new FakeMachine(Node(0, "0"), Node(1, "1")) { RefusesQueries = true }, s_request);

        Assert.All(matrix.Cells, static cell => Assert.NotNull(cell.Figures));
        Assert.All(matrix.Columns, static column => Assert.Equal(0, column.PagesChecked));
    }

    [Fact]
    public async Task MeasureAsync_BindingAndQueriesRefused_IsNotMeasuredUnlessThereIsOneNode()
    {
        var two = await MeasureAsync(
            new FakeMachine(Node(0, "0"), Node(1, "1")) { RefusesBinding = true, RefusesQueries = true }, s_request);
        Assert.All(two.Cells, static cell => Assert.Equal(
            "the system does not report where the pages are; binding was refused (EPERM)", cell.Reason));

        var one = await MeasureAsync(
            new FakeMachine(Node(0, "0")) { RefusesBinding = true, RefusesQueries = true }, s_request);
        Assert.NotNull(Assert.Single(one.Cells).Figures);
    }

    [Fact]
    public async Task MeasureAsync_NodeIsFull_IsNotTouched()
    {
        var machine = new FakeMachine(Node(0, "0"), Node(1, "1", 1 << 20));
        var matrix = await MeasureAsync(machine, s_request);

        Assert.NotNull(matrix.Cells[0].Figures);
        Assert.Equal("only 1 MiB are free; 1 MiB plus a quarter are needed: choose a smaller --size", matrix.Cells[1].Reason);
        Assert.Equal((1, 1), (machine.Reserved, machine.Released));
    }

    [Fact]
    public async Task MeasureAsync_PinningRefused_SaysWhichCpu()
    {
        var matrix = await MeasureAsync(
            new FakeMachine(Node(0, "0"), Node(1, "1")) { ForbiddenCpus = CpuSet.FromIds(1) }, s_request);

        Assert.Equal(
            [true, true, false, false], matrix.Cells.Select(static cell => cell.Figures is not null));
        Assert.All(matrix.Cells.Skip(2), static cell =>
            Assert.Equal("the thread could not be pinned to CPU 1 (EPERM)", cell.Reason));
    }

    [Fact]
    public async Task MeasureAsync_OneNodeThatCannotPin_IsMeasuredOnTheWholeNode()
    {
        var platform = new NumaPlatform(
            new SingleNodeTopologyProvider(), new SingleNodeMemoryProvider(), new SingleNodeAffinityProvider());
        var topology = platform.Topology.Read();
        var request = s_request with { Granularity = MatrixGranularity.Node };
        var matrix = await new MatrixRun(platform, topology, TimeProvider.System).MeasureAsync(
            MatrixPlan.Create(topology, request), request, new Recorder(), CancellationToken.None);

        Assert.Null(Assert.Single(matrix.Cells).Reason);
    }

    [Fact]
    public async Task MeasureAsync_TimeIsOver_TheRestIsReportedAsNotMeasured()
    {
        var matrix = await MeasureAsync(
            new FakeMachine(Node(0, "0"), Node(1, "1")), s_request with { TimeLimit = TimeSpan.Zero });

        Assert.All(matrix.Cells, static cell => Assert.Equal("not reached within --time-limit", cell.Reason));
    }

    [Fact]
    public async Task MeasureAsync_Canceled_ThrowsAndGivesTheMemoryBack()
    {
        var machine = new FakeMachine(Node(0, "0-1"), Node(1, "2"));
        using var cancellation = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => MeasureAsync(machine, s_request, new Recorder(_ => cancellation.Cancel()), cancellation.Token));

        Assert.Equal((1, 1), (machine.Reserved, machine.Released));
    }

    private static Task<NodeMatrix> MeasureAsync(
        FakeMachine machine, MatrixRequest request, IProgress<int>? progress = null, CancellationToken cancellation = default)
    {
        var topology = machine.Read();
        return new MatrixRun(machine.Platform, topology, TimeProvider.System).MeasureAsync(
            MatrixPlan.Create(topology, request), request, progress ?? new Recorder(), cancellation);
    }

    private sealed class Recorder(Action<int>? action = null) : IProgress<int>
    {
        public void Report(int value) => action?.Invoke(value);
    }
}
