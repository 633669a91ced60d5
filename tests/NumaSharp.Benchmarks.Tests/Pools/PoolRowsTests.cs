using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Pools;

public sealed class PoolRowsTests : IDisposable
{
    private readonly WorkerTeams _teams = new(new BenchmarkCpus(null, null, null));

    [Theory]
    [InlineData("pool single", 0.6, 0.45)]
    [InlineData("pool nested x3", 0.6, 0.4)]
    [InlineData("pool 2 threads", 0.35, 0.25)]
    [InlineData("pool cross-thread", 0.4, 0.3)]
    [InlineData("pool megamorphic call site", 0.7, 0.5)]
    [InlineData("pool 1000 shuffled", 0.9, 0.6)]
    public void Create_RowWithARequirement_HasItAndItsGoal(string name, double required, double goal) =>
        Assert.Equal(new RowTarget(required, goal), Assert.Single(Rows(), row => row.Name == name).Target);

    [Fact]
    public void Create_RefusedBinding_IsRequiredToCostATenthMoreAtMost() => Assert.Equal(
        1.1, Assert.Single(Rows(), row => row.Name == "pool commit 64M, mbind refused vs allowed").Target.Required);

    [Fact]
    public void Create_ManagedBytes_AreRequiredToBeNone() =>
        Assert.Equal(0, Assert.Single(Rows(), row => row.Name == "managed bytes").Target.Required);

    [Fact]
    public void Create_AllRows_NeedNoLibrary() =>
        Assert.Empty(PoolRows.Create(_teams).SelectMany(source => source.Libraries));

    public void Dispose() => _teams.Dispose();

    private IEnumerable<(string Name, RowTarget Target)> Rows() => PoolRows.Create(_teams).SelectMany(source => source.Rows);
}
