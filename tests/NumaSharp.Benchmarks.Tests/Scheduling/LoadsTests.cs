using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Playground.Benchmarks.Scheduling.Watching;

namespace NumaSharp.Benchmarks.Tests.Scheduling;

[Collection(nameof(ProcessWideCollection))]
public sealed class LoadsTests
{
    private static readonly (string Name, Func<IEngine> Start)[] s_engines =
    [
        ("ours", static () => new NumaEngine()),
        ("one node", static () => NumaEngine.OnOneNode(1)),
        ("pool", static () => new PoolEngine()),
    ];

    private static readonly (string Name, ILoadShape Shape, int Operations)[] s_shapes =
    [
        ("outside", new OutsideShape(), 10_000),
        ("inside", new InsideShape(), 6_400),
        ("burst", new BurstShape(16, 10, IsProducerAsleep: false), 100),
        ("asleep", new BurstShape(16, 10, IsProducerAsleep: true), 100),
        ("closed loop", new ClosedLoopShape(4, 2, 10, 10), 400),
        ("arrivals", new ArrivalsShape(10, 10, AreRandom: true), 200),
        ("fib", new FibonacciShape(), 1),
    ];

    public static TheoryData<string, string> Pairs => [
        .. from engine in s_engines from shape in s_shapes select (engine.Name, shape.Name),
    ];

    [Theory]
    [MemberData(nameof(Pairs))]
    public void Run_EveryShapeOnEveryEngine_DoesItAll(string engine, string shape)
    {
        var (_, load, operations) = Array.Find(s_shapes, each => each.Name == shape);
        using var opened = EngineLoad.Start(
            Array.Find(s_engines, each => each.Name == engine).Start, started => started.Open(load));

        opened.Run(operations);
        var slice = opened.Run(operations);

        Assert.Equal(operations, slice.Operations);
        Assert.True(slice.Nanoseconds > 0);
    }

    [Theory]
    [InlineData("ours")]
    [InlineData("pool")]
    public void Run_TasksOnEveryEngine_DoesItAll(string engine)
    {
        using var started = Array.Find(s_engines, each => each.Name == engine).Start();
        var scheduler = started.Tasks;
        var tasks = new TaskLoad(work => Start(work));
        var awaits = new AwaitLoad(3, method => _ = Start(method));

        Assert.Equal(1000, tasks.Run(1000).Operations);
        Assert.Equal(640, awaits.Run(640).Operations);

        Task Start(Delegate work) => work is Action action
            ? Task.Factory.StartNew(action, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler)
            : Task.Factory.StartNew((Func<Task>)work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
    }

    [Fact]
    public void Run_MeasuredEngine_HasSamplesOfTheItems()
    {
        using var engine = NumaEngine.Measured();
        using var load = engine.Open(new OutsideShape());

        load.Run(1000);

        Assert.True(engine.Listener!.Count > 0);
    }

    [Fact]
    public void Run_WatchedByEvents_HasSamplesOfTheItems()
    {
        using var engine = new NumaEngine();
        using var watch = new EventWatch();
        using var load = new WatchedLoad(engine.Open(new OutsideShape()), () => watch);

        load.Run(1000);

        Assert.True(watch.Count > 0);
    }

    [Theory]
    [InlineData(true, 1001)]
    [InlineData(false, 0)]
    public void Run_WatchedByTraces_HasARequestAndItsItemsOrNothing(bool isInRequest, int activities)
    {
        using var engine = new NumaEngine();
        TraceWatch? watch = null;
        using var load = new WatchedLoad(
            engine.Open(new OutsideShape()), () => watch = new TraceWatch(isInRequest));

        load.Run(1000);

        Assert.Equal(activities, watch!.Count);
    }

    [Fact]
    public void Run_FibonacciTasks_GivesTheRightNumber()
    {
        using var engine = new NumaEngine();
        var load = new FibonacciTasks(engine.Tasks);

        Assert.Equal(1, load.Run(1).Operations);
    }

    [Fact]
    public void Check_WrongNumber_EndsTheRun()
    {
        var failure = Assert.Throws<BenchmarkException>(() => Fibonacci.Check(46367));

        Assert.Contains("46368", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_NodeArrays_RunsEveryTask()
    {
        var started = 0;
        using var load = new NodeArraysLoad((_, work) =>
        {
            started++;
            return Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);
        });

        Assert.Equal(64, load.Run(64).Operations);
        Assert.Equal(64, started);
    }

    [Fact]
    public void Run_Arrivals_TellsEachWait()
    {
        using var engine = new PoolEngine();
        using var load = engine.Open(new ArrivalsShape(10, 0, AreRandom: false));

        var slice = load.Run(50);

        var waits = Assert.Single(slice.Waits);
        Assert.Equal(50, waits.Length);
        Assert.All(waits, static wait => Assert.True(wait >= 0));
    }
}
