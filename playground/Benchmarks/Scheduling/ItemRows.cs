using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Work items that allocate nothing: saturated, in bursts, and behind an event loop.</summary>
internal static class ItemRows
{
    public const double LoopMicroseconds = 3;
    public const double WorkMicroseconds = 5;

    private static readonly int[] s_burstSizes = [1, 16, 256];

    public static IEnumerable<IRowSource> Create(int cpus) =>
    [
        OneWorker(),
        Outside(cpus),
        new ManagedItemBytes(),
        Inside(cpus),
        .. s_burstSizes.Select(size => Burst(cpus, size)),
        WorkingBurst(cpus),
        AsleepBurst(cpus, 1),
        AsleepBurst(cpus, 256),
        ClosedLoop(cpus, 64, SchedulerTargets.ManyConnections, SchedulerTargets.ManyConnections),
        ClosedLoop(cpus, 4, default, SchedulerTargets.FewConnectionsCpu),
    ];

    private static SliceContest OneWorker()
    {
        var load = Load(new OutsideShape());
        return new SliceContest([
            new(
                "outside, 1 worker",
                EngineSides.Ours(static () => NumaEngine.OnOneNode(workers: 1), load),
                EngineSides.Pool(load),
                SliceFigure.Time,
                SchedulerTargets.Outside),
        ])
        { PoolThreads = 1 };
    }

    private static SliceContest Outside(int cpus)
    {
        var load = Load(new OutsideShape());
        return AgainstAll(cpus, "outside", load, new Asked("", SliceFigure.Time, SchedulerTargets.Outside));
    }

    private static SliceContest Inside(int cpus)
    {
        var load = Load(new InsideShape());
        return AgainstPool(cpus, "inside", load, new Asked("", SliceFigure.Time, SchedulerTargets.Inside));
    }

    private static SliceContest Burst(int cpus, int size) => AgainstAll(
        cpus,
        string.Create(CultureInfo.InvariantCulture, $"burst {size}"),
        Load(new BurstShape(size, WorkSteps: 0, IsProducerAsleep: false)),
        new Asked(" time", SliceFigure.Time, size == 1 ? SchedulerTargets.BurstOfOneTime : default),
        new Asked(" CPU", SliceFigure.Cpu, size == 1 ? SchedulerTargets.BurstOfOneCpu : default));

    private static SliceContest AsleepBurst(int cpus, int size) => AgainstPool(
        cpus,
        string.Create(CultureInfo.InvariantCulture, $"burst {size}, asleep"),
        Load(new BurstShape(size, WorkSteps: 0, IsProducerAsleep: true)),
        new Asked(" time", SliceFigure.Time),
        new Asked(" CPU", SliceFigure.Cpu));

    private static SliceContest WorkingBurst(int cpus) => AgainstAll(
        cpus,
        "burst 256x5us",
        Load(new BurstShape(256, Busy.StepsOf(WorkMicroseconds), IsProducerAsleep: false)),
        new Asked(" time", SliceFigure.Time, SchedulerTargets.WorkingBurst));

    private static SliceContest ClosedLoop(int cpus, int connections, RowTarget rate, RowTarget cpu)
    {
        // As many loops as their share of the work.
        var loops = (int)Math.Max(1, Math.Round(cpus * LoopMicroseconds / (LoopMicroseconds + WorkMicroseconds)));
        return AgainstAll(
            cpus,
            string.Create(CultureInfo.InvariantCulture, $"closed loop {connections}"),
            Load(new ClosedLoopShape(connections, loops, Busy.StepsOf(LoopMicroseconds), Busy.StepsOf(WorkMicroseconds))),
            new Asked(" rate", SliceFigure.Rate, rate),
            new Asked(" CPU", SliceFigure.Cpu, cpu));
    }

    private static Func<IEngine, ILoad> Load(ILoadShape shape) => engine => engine.Open(shape);

    private static SliceContest AgainstPool(int cpus, string name, Func<IEngine, ILoad> load, params Asked[] asked)
    {
        var (ours, pool) = (EngineSides.Ours(load), EngineSides.Pool(load));
        return new(Rows(name, ours, pool, asked)) { PoolThreads = cpus };
    }

    // Of the further peers the first figure is reported.
    private static SliceContest AgainstAll(int cpus, string name, Func<IEngine, ILoad> load, params Asked[] asked)
    {
        var (ours, pool) = (EngineSides.Ours(load), EngineSides.Pool(load));
        return new([
            .. Rows(name, ours, pool, asked),
            new($"{name} vs channels", ours, EngineSides.Channels(cpus, load), asked[0].Figure),
            new($"{name} vs collection", ours, EngineSides.Collection(cpus, load), asked[0].Figure),
        ])
        { PoolThreads = cpus };
    }

    private static SliceRow[] Rows(string name, SliceSide ours, SliceSide pool, Asked[] asked) =>
        [.. asked.Select(each => new SliceRow(name + each.Suffix, ours, pool, each.Figure, each.Target))];

    private readonly record struct Asked(string Suffix, SliceFigure Figure, RowTarget Target = default);
}
