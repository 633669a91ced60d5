using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Scheduling.Loads;
using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>Items that arrive one by one: the cost of waiting for the next one, and how long it waits.</summary>
internal static class SpinRows
{
    private const double Load = 0.5;

    // Rare arrivals need longer slices to be many.
    private const int RareMicroseconds = 1000;
    private const int RareStretch = 4;

    // A stall of the machine spoils the latencies of a slice: there must be enough slices without one.
    private const int LatencySlices = 12;

    private static readonly int[] s_gaps = [25, 100, RareMicroseconds];

    public static IEnumerable<IRowSource> Create(int cpus) => [.. s_gaps.Select(gap => Arrivals(cpus, gap)), HalfLoad(cpus)];

    private static Contest Arrivals(int cpus, int gap)
    {
        var shape = new ArrivalsShape(gap, Busy.StepsOf(ItemRows.WorkMicroseconds), AreRandom: false);
        var name = gap == RareMicroseconds ? "1ms" : $"{gap}us";
        var (ours, pool) = (EngineSides.Ours(Open), EngineSides.Pool(Open));
        var lowCpu = EngineSides.Ours(static () => new NumaEngine(static options => options.Spin = NumaSpinMode.LowCpu), Open);
        var contest = EngineSides.Contest(
            cpus,
            new PeerRow($"CPU at {name}, default", ours, pool, SchedulerTargets.DefaultCpu, SliceFigures.Cpu),
            new PeerRow($"CPU at {name}, LowCpu", lowCpu, pool, SchedulerTargets.LowCpu, SliceFigures.Cpu),
            new PeerRow($"p50 at {name}, default", ours, pool, figure: SliceFigures.MedianWait),
            new PeerRow($"p50 at {name}, LowCpu", lowCpu, pool, figure: SliceFigures.MedianWait));
        return gap == RareMicroseconds ? contest with { Share = RareStretch * contest.Share } : contest;

        ILoad Open(IEngine engine) => engine.Open(shape);
    }

    private static Contest HalfLoad(int cpus)
    {
        // One CPU is the producer's: a worker that shared it would wait for the kernel to take turns.
        var workers = Math.Max(1, cpus - 1);
        var gap = ItemRows.WorkMicroseconds / Load / workers;
        var shape = new ArrivalsShape(gap, Busy.StepsOf(ItemRows.WorkMicroseconds), AreRandom: true);
        var (ours, pool) = (EngineSides.Ours(() => NumaEngine.OnOneNode(workers), Open), EngineSides.Pool(Open));
        var lowLatency = EngineSides.Ours(() => NumaEngine.OnOneNode(workers, NumaSpinMode.LowLatency), Open);
        return EngineSides.Contest(
            workers,
            new PeerRow("p99 at half load, LowLatency", lowLatency, pool, SchedulerTargets.LowLatency, SliceFigures.LongWait),
            new PeerRow("p50 at half load, LowLatency", lowLatency, pool, figure: SliceFigures.MedianWait),
            new PeerRow("p99 at half load, default", ours, pool, figure: SliceFigures.LongWait),
            new PeerRow("p50 at half load, default", ours, pool, figure: SliceFigures.MedianWait),
            new PeerRow("CPU at half load, default", ours, pool, figure: SliceFigures.Cpu)) with
        { Turns = LatencySlices };

        ILoad Open(IEngine engine) => engine.Open(shape);
    }
}
