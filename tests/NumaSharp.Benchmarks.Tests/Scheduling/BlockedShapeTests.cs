using NumaSharp.Playground.Benchmarks.Scheduling.Blocking;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Benchmarks.Tests.Scheduling;

public sealed class BlockedShapeTests
{
    public static TheoryData<string> Kinds => [.. BlockingKind.All.Select(static kind => kind.Name)];

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Run_EveryKind_RunsTheShortItemAndReleasesTheWorkers(string name)
    {
        var kind = BlockingKind.All.Single(each => each.Name == name);
        using var engine = NumaEngine.OnOneNode();
        using var load = engine.Open(new BlockedShape(kind, engine.Scheduler.MaximumConcurrencyLevel));

        Assert.True(load.Run(1).Nanoseconds > 0);
        Assert.True(load.Run(1).Nanoseconds > 0);
    }
}
