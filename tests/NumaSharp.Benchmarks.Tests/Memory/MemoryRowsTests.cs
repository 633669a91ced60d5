using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class MemoryRowsTests : IDisposable
{
    // What the table has room for.
    private const int LongestName = 30;

    private readonly WorkerTeams _teams = new(new BenchmarkCpus(null, null, null));

    [Fact]
    public void Create_AllRows_HaveNamesOfTheirOwnThatFit()
    {
        var names = Rows().Select(row => row.Name).ToArray();

        Assert.Equal(names.Length, names.Distinct(StringComparer.Ordinal).Count());
        Assert.All(names, name => Assert.InRange(name.Length, 1, LongestName));
    }

    [Theory]
    [InlineData("slowest vs fastest size", 1.3, 1.15)]
    [InlineData("alloc 8B vs mimalloc", 1.0, 0.7)]
    [InlineData("alloc 16B vs mimalloc", 1.0, 0.7)]
    [InlineData("alloc 32B vs mimalloc", 1.0, 0.7)]
    [InlineData("alloc 64B vs mimalloc", 1.0, 0.7)]
    [InlineData("alloc 256B vs mimalloc", 0.8, 0.6)]
    [InlineData("alloc 512B vs mimalloc", 0.8, 0.6)]
    [InlineData("alloc 1K vs mimalloc", 0.8, 0.6)]
    [InlineData("alloc 4K vs mimalloc", 0.45, 0.35)]
    [InlineData("alloc 16K vs mimalloc", 0.45, 0.35)]
    [InlineData("alloc 64K vs mimalloc", 0.45, 0.35)]
    [InlineData("alloc 256K vs mimalloc", 0.1, 0.05)]
    [InlineData("alloc 4K vs jemalloc", 0.7, 0.6)]
    [InlineData("alloc 16K vs jemalloc", 0.4, 0.35)]
    [InlineData("alloc 64K vs jemalloc", 0.05, 0.03)]
    [InlineData("alloc 256K vs jemalloc", 0.05, 0.03)]
    [InlineData("alloc 8B vs NativeMemory", 0.75, 0.6)]
    [InlineData("alloc 128B vs NativeMemory", 0.75, 0.6)]
    [InlineData("alloc 1K vs NativeMemory", 0.75, 0.6)]
    [InlineData("alloc 4K vs NativeMemory", 0.45, 0.3)]
    [InlineData("alloc 256K vs NativeMemory", 0.45, 0.3)]
    [InlineData("nested 4K x3 vs mimalloc", 0.65, 0.5)]
    [InlineData("bulk 1000 64B vs mimalloc", 1.2, 0.9)]
    [InlineData("bulk 1000 4K vs mimalloc", 0.5, 0.4)]
    [InlineData("bulk 1000 16K vs mimalloc", 0.5, 0.4)]
    [InlineData("bulk 1000 64K vs mimalloc", 0.5, 0.4)]
    [InlineData("bulk 1000 256K vs mimalloc", 0.15, 0.1)]
    [InlineData("2 threads 64B vs mimalloc", 0.8, 0.6)]
    [InlineData("2 threads 4K vs mimalloc", 0.4, 0.3)]
    [InlineData("cross-thread 64B vs mimalloc", 0.45, 0.3)]
    [InlineData("cross-thread 4K vs mimalloc", 0.15, 0.1)]
    [InlineData("cross-thread 64K vs mimalloc", 0.15, 0.1)]
    [InlineData("pool single vs MemoryPool", 0.5, 0.3)]
    [InlineData("pool nested x3 vs MemoryPool", 0.5, 0.3)]
    [InlineData("nested 4K x3 vs ArrayPool", 0.5, 0.3)]
    [InlineData("remote free 64B vs local", 1.2, 1.1)]
    [InlineData("remote free 4K vs local", 1.2, 1.1)]
    [InlineData("resident 10M vs mimalloc", 1.1, 0.95)]
    [InlineData("2000 short threads", 1.0, 0.0)]
    public void Create_RowWithARequirement_HasItAndItsGoal(string name, double required, double goal) =>
        Assert.Equal(new RowTarget(required, goal), Assert.Single(Rows(), row => row.Name == name).Target);

    [Theory]
    [InlineData("managed bytes")]
    public void Create_RowWithALimitOfZero_RequiresZero(string name) =>
        Assert.Equal(0, Assert.Single(Rows(), row => row.Name == name).Target.Required);

    [Theory]
    [InlineData("alloc 128B vs mimalloc")]
    [InlineData("alloc 1K vs jemalloc")]
    [InlineData("resident after burst")]
    [InlineData("resident after trim")]
    [InlineData("loop handle 64B vs mimalloc")]
    [InlineData("loop handle 4K vs mimalloc")]
    public void Create_RowThatIsOnlyReported_HasNoTarget(string name) =>
        Assert.Equal(default, Assert.Single(Rows(), row => row.Name == name).Target);

    [Fact]
    public void AgainstItself_EveryDuel_HasNoTarget() => Assert.All(
        MemoryRows.Create(_teams).Select(source => source.AgainstItself()).OfType<IRowSource>().SelectMany(source => source.Rows),
        row => Assert.Equal(default, row.Target));

    public void Dispose() => _teams.Dispose();

    private IEnumerable<(string Name, RowTarget Target)> Rows() =>
        MemoryRows.Create(_teams).SelectMany(source => source.Rows);
}
