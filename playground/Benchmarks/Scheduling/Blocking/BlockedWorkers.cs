using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;
using NumaSharp.Playground.Benchmarks.Slices;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>
/// How long the first short item waits when all workers are blocked: of a scheduler that was just started, and of a thread
/// pool that has as many threads.
/// </summary>
internal sealed class BlockedWorkers : IRowSource
{
    private const double NanosecondsPerMillisecond = 1e6;

    // The pool needs a second for some kinds, and that is no news.
    private const int PoolRounds = 1;

    private readonly BlockingKind _kind;
    private readonly IReadOnlyList<(string Name, RowTarget Target)> _rows;

    public BlockedWorkers(BlockingKind kind)
        : this(kind, [
            ($"blocked, {kind.Name}", new RowTarget(1, SchedulerTargets.BlockedGoal)),
            ($"blocked, {kind.Name} vs pool", default),
        ])
    {
    }

    private BlockedWorkers(BlockingKind kind, IReadOnlyList<(string Name, RowTarget Target)> rows) =>
        (_kind, _rows) = (kind, rows);

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => _rows;

    public IRowSource? Where(Func<string, bool> isWanted)
    {
        (string, RowTarget)[] left = [.. _rows.Where(row => isWanted(row.Name))];
        return left.Length == 0 ? null : new BlockedWorkers(_kind, left);
    }

    public Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        // The first one also compiles what it runs.
        MeasureOurs();
        var ours = Median(lengths.Rounds, MeasureOurs, cancellation);
        foreach (var (name, target) in _rows)
        {
            var row = target.Required is null
                ? BenchmarkRow.Cost(name, PoolEngine.Name, ours, Median(PoolRounds, MeasurePool, cancellation), "ms", target)
                : BenchmarkRow.Limit(name, ours, SchedulerTargets.BlockedLimit, "ms", target.Goal);
            report(new MeasuredRow(row, null));
        }

        return Task.CompletedTask;
    }

    private static double Median(int rounds, Func<double> measure, CancellationToken cancellation)
    {
        double[] taken = [.. Enumerable.Range(0, rounds).Select(_ =>
        {
            cancellation.ThrowIfCancellationRequested();
            return measure();
        })];
        return taken[Statistics.MiddleRound(taken)];
    }

    private double MeasureOurs()
    {
        using var engine = NumaEngine.OnOneNode();
        return Measure(engine, engine.Scheduler.MaximumConcurrencyLevel);
    }

    private double MeasurePool()
    {
        // Threads that it added for an earlier round would be a head start: this takes them off again.
        var threads = SchedulerRows.Cpus;
        new PoolSize(threads).Dispose();
        using var engine = new PoolEngine();
        return Measure(engine, threads);
    }

    private double Measure(IEngine engine, int workers) =>
        engine.Open(new BlockedShape(_kind, workers)).Run(1).Nanoseconds / NanosecondsPerMillisecond;
}
