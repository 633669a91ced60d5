using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling;

namespace NumaSharp.Benchmarks.Tests.Scheduling;

public sealed class SchedulerRowsTests
{
    // What the table has room for.
    private const int LongestName = 30;

    [Fact]
    public void Create_AllRows_HaveNamesOfTheirOwnThatFit()
    {
        var names = Rows().Select(static row => row.Name).ToArray();

        Assert.Equal(names.Length, names.Distinct(StringComparer.Ordinal).Count());
        Assert.All(names, static name => Assert.InRange(name.Length, 1, LongestName));
    }

    [Theory]
    [InlineData("outside, 1 worker", 1.1, 0.8)]
    [InlineData("outside", 1.1, 0.8)]
    [InlineData("inside", 0.5, 0.3)]
    [InlineData("Task", 1.2, 1.0)]
    [InlineData("burst 1 time", 0.6, 0.4)]
    [InlineData("burst 1 CPU", 0.5, 0.35)]
    [InlineData("burst 256x5us time", 1.0, 0.9)]
    [InlineData("closed loop 64 rate", 1.0, 0.8)]
    [InlineData("closed loop 64 CPU", 1.0, 0.8)]
    [InlineData("closed loop 4 CPU", 0.9, 0.7)]
    [InlineData("CPU at 25us, default", 0.8, 0.6)]
    [InlineData("CPU at 1ms, default", 0.8, 0.6)]
    [InlineData("CPU at 25us, LowCpu", 0.5, 0.3)]
    [InlineData("CPU at 1ms, LowCpu", 0.5, 0.3)]
    [InlineData("p99 at half load, LowLatency", 1.0, 0.7)]
    [InlineData("fib(24) tasks", 1.1, 0.9)]
    [InlineData("fib(24) items", 0.8, 0.5)]
    [InlineData("await, context", 1.0, 0.8)]
    [InlineData("await nested, context", 1.3, 1.1)]
    [InlineData("blocked, Sleep", 1.0, 0.5)]
    [InlineData("blocked, Task.Wait", 1.0, 0.5)]
    [InlineData("blocked, lock", 1.0, 0.5)]
    [InlineData("blocked, read", 1.0, 0.5)]
    [InlineData("blocked, CPU", 1.0, 0.5)]
    [InlineData("idle process", 1.0, 0.2)]
    public void Create_RowWithARequirement_HasItAndItsGoal(string name, double required, double goal) =>
        Assert.Equal(new RowTarget(required, goal), Assert.Single(Rows(), row => row.Name == name).Target);

    [Fact]
    public void Create_ManagedBytes_AreRequiredToBeNone() =>
        Assert.Equal(0, Assert.Single(Rows(), static row => row.Name == "managed bytes").Target.Required);

    [Theory]
    [InlineData("waits measured vs not")]
    [InlineData("wait events vs none")]
    [InlineData("trace listener vs none")]
    [InlineData("items traced vs none")]
    [InlineData("burst 256 time")]
    [InlineData("closed loop 4 rate")]
    [InlineData("await, TaskScheduler")]
    [InlineData("RunOnNode vs Task.Run")]
    [InlineData("RunNumaLocal vs Task.Run")]
    [InlineData("blocked, Sleep vs pool")]
    public void Create_RowThatIsOnlyReported_HasNoTarget(string name) =>
        Assert.Equal(default, Assert.Single(Rows(), row => row.Name == name).Target);

    [Fact]
    public void Where_EveryRowByItself_IsLeftAlone() => Assert.All(
        Rows().Select(static row => row.Name),
        static name => Assert.Equal(name, Assert.Single(
            SchedulerRows.Create().Select(source => source.Where(each => each == name)).OfType<IRowSource>().SelectMany(
                static source => source.Rows)).Name));

    private static IEnumerable<(string Name, RowTarget Target)> Rows() =>
        SchedulerRows.Create().SelectMany(static source => source.Rows);
}
