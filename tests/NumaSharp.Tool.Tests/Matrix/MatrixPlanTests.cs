using NumaSharp.Core;
using NumaSharp.Tool.Matrix;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class MatrixPlanTests
{
    private const long MiB = 1 << 20;

    private static readonly NumaTopology s_machine = new(
        "test", [Node(0, "0-3", 8192 * MiB), Node(1, "4-7", 8192 * MiB), Node(2, "", 8192 * MiB), Node(3, "8", 0)])
    {
        LastLevelCaches =
        [
            new NumaCache(3, 32 * MiB, CpuSet.ParseList("0-1")), new NumaCache(3, 96 * MiB, CpuSet.ParseList("2-3")),
            new NumaCache(3, 32 * MiB, CpuSet.ParseList("4-7")), new NumaCache(3, 32 * MiB, CpuSet.ParseList("8")),
        ],
    };

    [Theory]
    [InlineData("Node", "0,4,8")]
    [InlineData("Cache", "0,2,4,8")]
    [InlineData("Cpu", "0-8")]
    public void Create_Granularity_GivesTheRows(string granularity, string cpus) => Assert.Equal(
        CpuSet.ParseList(cpus),
        RowsOf(new MatrixRequest { Granularity = Enum.Parse<MatrixGranularity>(granularity) }));

    [Fact]
    public void Create_CpusAreNamed_TheyAreTheRows() => Assert.Equal(
        CpuSet.ParseList("1,5-6"), RowsOf(new MatrixRequest { Cpus = CpuSet.ParseList("1,5-6") }));

    [Fact]
    public void Create_CpuThatIsNotAllowed_SaysWhich()
    {
        var exception = Assert.Throws<NumaException>(
            () => MatrixPlan.Create(s_machine, new MatrixRequest { Cpus = CpuSet.ParseList("1,99") }));

        Assert.Equal("--cpus '1,99': 99 cannot be used; allowed are 0-8.", exception.Message);
    }

    [Fact]
    public void Create_Columns_AreTheNodesWithMemory() => Assert.Equal(
        [0, 1, 2], MatrixPlan.Create(s_machine, new MatrixRequest()).Columns.Select(static node => node.NodeId));

    [Fact]
    public void Create_NoMemoryAllowed_Throws() => Assert.Throws<NumaException>(
        () => MatrixPlan.Create(new NumaTopology("test", [Node(0, "0", 0)]), new MatrixRequest()));

    [Fact]
    public void Create_Size_IsFourTimesTheLargestCache() =>
        Assert.Equal(4 * 96 * MiB, MatrixPlan.Create(s_machine, new MatrixRequest()).SizeBytes);

    [Theory]
    [InlineData(8192, 256)]
    [InlineData(300, 150)]
    [InlineData(32, 64)]
    public void Create_CachesAreNotKnown_SizeFitsTheSmallestNode(long freeMebibytes, long expectedMebibytes) => Assert.Equal(
        expectedMebibytes * MiB,
        MatrixPlan.Create(
            new NumaTopology("test", [Node(0, "0", 8192 * MiB), Node(1, "1", freeMebibytes * MiB)]),
            new MatrixRequest()).SizeBytes);

    [Fact]
    public void Create_SizeIsNamed_IsTaken() =>
        Assert.Equal(3 * MiB, MatrixPlan.Create(s_machine, new MatrixRequest { SizeBytes = 3 * MiB }).SizeBytes);

    private static CpuSet RowsOf(MatrixRequest request)
    {
        var plan = MatrixPlan.Create(s_machine, request);
        Assert.All(plan.Rows, static row => Assert.True(s_machine.FindNode(row.NodeId)!.Cpus.Contains(row.Cpu)));
        return CpuSet.FromIds(plan.Rows.Select(static row => row.Cpu));
    }
}
