using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Work items that allocate nothing: saturated, in bursts, and behind an event loop.</summary>
internal static class ItemRows
{
    public const double LoopMicroseconds = 3;
    public const double WorkMicroseconds = 5;

    private static readonly int[] s_burstSizes = [1, 16, 256];

    public static IEnumerable<IRowSource> Create(int cpus) =>
    [
        Contest(1, "outside, 1 worker", static () => NumaEngine.OnOneNode(workers: 1), new OutsideShape(), Outside),
        Contest(cpus, "outside", new OutsideShape(), Outside),
        ManagedItemBytes.Create(),
        Contest(cpus, "inside", new InsideShape(), new Asked("", SliceFigures.Time, SchedulerTargets.Inside)),
        .. s_burstSizes.Select(size => Burst(cpus, size)),
        WorkingBurst(cpus),
        AsleepBurst(cpus, 1),
        AsleepBurst(cpus, 256),
        ClosedLoop(cpus, 64, SchedulerTargets.ManyConnections, SchedulerTargets.ManyConnections),
        ClosedLoop(cpus, 4, default, SchedulerTargets.FewConnectionsCpu),
    ];

    private static Asked Outside { get; } = new("", SliceFigures.Time, SchedulerTargets.Outside);

    private static Contest Burst(int cpus, int size) => Contest(
        cpus,
        string.Create(CultureInfo.InvariantCulture, $"burst {size}"),
        new BurstShape(size, WorkSteps: 0, IsProducerAsleep: false),
        new Asked(" time", SliceFigures.Time, size == 1 ? SchedulerTargets.BurstOfOneTime : default),
        new Asked(" CPU", SliceFigures.Cpu, size == 1 ? SchedulerTargets.BurstOfOneCpu : default));

    private static Contest AsleepBurst(int cpus, int size) => Contest(
        cpus,
        string.Create(CultureInfo.InvariantCulture, $"burst {size}, asleep"),
        new BurstShape(size, WorkSteps: 0, IsProducerAsleep: true),
        new Asked(" time", SliceFigures.Time),
        new Asked(" CPU", SliceFigures.Cpu));

    private static Contest WorkingBurst(int cpus) => Contest(
        cpus,
        "burst 256x5us",
        new BurstShape(256, Busy.StepsOf(WorkMicroseconds), IsProducerAsleep: false),
        new Asked(" time", SliceFigures.Time, SchedulerTargets.WorkingBurst));

    private static Contest ClosedLoop(int cpus, int connections, RowTarget rate, RowTarget cpu)
    {
        // As many loops as their share of the work.
        var loops = (int)Math.Max(1, Math.Round(cpus * LoopMicroseconds / (LoopMicroseconds + WorkMicroseconds)));
        return Contest(
            cpus,
            string.Create(CultureInfo.InvariantCulture, $"closed loop {connections}"),
            new ClosedLoopShape(connections, loops, Busy.StepsOf(LoopMicroseconds), Busy.StepsOf(WorkMicroseconds)),
            new Asked(" rate", SliceFigures.Rate, rate),
            new Asked(" CPU", SliceFigures.Cpu, cpu));
    }

    private static Contest Contest(int threads, string name, ILoadShape shape, params Asked[] asked) =>
        Contest(threads, name, static () => new NumaEngine(), shape, asked);

    private static Contest Contest(
        int threads, string name, Func<NumaEngine> start, ILoadShape shape, params Asked[] asked)
    {
        var ours = EngineSides.Ours(start, engine => engine.Open(shape));
        var pool = EngineSides.Pool(engine => engine.Open(shape));
        return EngineSides.Contest(
            threads, [.. asked.Select(each => new PeerRow(name + each.Suffix, ours, pool, each.Target, each.Figure))]);
    }

    private readonly record struct Asked(string Suffix, Figure<Slice> Figure, RowTarget Target = default);
}
