using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Tasks: started, forked and joined, awaited, and on the node of their data.</summary>
internal static class TaskRows
{
    private const int Nested = 3;

    public static IEnumerable<IRowSource> Create(int cpus) =>
    [
        Start(cpus),
        FibonacciByTasks(),
        FibonacciByItems(cpus),
        Await(cpus, "await", depth: 1, SchedulerTargets.Await),
        Await(cpus, "await nested", Nested, SchedulerTargets.NestedAwait),
        NodeArrays(cpus),
    ];

    private static Contest Start(int cpus)
    {
        return EngineSides.Contest(
            cpus,
            new PeerRow(
                "Task",
                EngineSides.Ours(OnFactory),
                EngineSides.Pool(_ => new TaskLoad(Task.Run)),
                SchedulerTargets.Task));

        static ILoad OnFactory(IEngine engine) => new TaskLoad(work => Task.Factory.StartNew(
            work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, engine.Tasks));
    }

    // The pool as it is: it may add threads for those that wait.
    private static Contest FibonacciByTasks()
    {
        return EngineSides.Contest(
            poolThreads: null,
            new PeerRow("fib(24) tasks", EngineSides.Ours(Open), EngineSides.Pool(Open), SchedulerTargets.FibonacciTasks));

        static ILoad Open(IEngine engine) => new FibonacciTasks(engine.Tasks);
    }

    private static Contest FibonacciByItems(int cpus)
    {
        var shape = new FibonacciShape();
        return EngineSides.Contest(
            cpus,
            new PeerRow("fib(24) items", EngineSides.Ours(Open), EngineSides.Pool(Open), SchedulerTargets.FibonacciItems));

        ILoad Open(IEngine engine) => engine.Open(shape);
    }

    private static Contest Await(int cpus, string name, int depth, RowTarget target)
    {
        var pool = EngineSides.Pool(engine => new AwaitLoad(depth, static method => _ = Task.Run(method)));
        return EngineSides.Contest(
            cpus,
            new PeerRow($"{name}, context", EngineSides.Ours(WithContext, OnScheduler), pool, target),
            new PeerRow($"{name}, TaskScheduler", EngineSides.Ours(OnScheduler), pool),
            new PeerRow($"{name}, own Yield", EngineSides.Ours(static () => new NumaEngine(), ByItself), pool));

        static NumaEngine WithContext() => new(static options => options.UseSynchronizationContext = true);
        ILoad OnScheduler(IEngine engine) => new AwaitLoad(depth, method => Begin(engine, method));
        ILoad ByItself(NumaEngine engine) => new AwaitLoad(depth, method => Begin(engine, method), engine.Scheduler);
        static void Begin(IEngine engine, Func<Task> method) => _ = Task.Factory.StartNew(
            method, CancellationToken.None, TaskCreationOptions.DenyChildAttach, engine.Tasks);
    }

    private static Contest NodeArrays(int cpus)
    {
        var pool = EngineSides.Pool(_ => new NodeArraysLoad(static (_, work) => Task.Run(work)));
        return EngineSides.Contest(
            cpus,
            new PeerRow("RunOnNode vs Task.Run", EngineSides.Ours(static () => new NumaEngine(), OnNode), pool),
            new PeerRow("RunNumaLocal vs Task.Run", EngineSides.Pool(NumaLocal), pool));

        static ILoad OnNode(NumaEngine engine) => new NodeArraysLoad((node, work) => engine.Scheduler.RunOnNode(node, work));
        static ILoad NumaLocal(IEngine engine) => new NodeArraysLoad(static (_, work) => work.RunNumaLocal());
    }
}
