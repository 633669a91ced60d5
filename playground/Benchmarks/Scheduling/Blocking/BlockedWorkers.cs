using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Scheduling.Engines;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>
/// How long the first short item waits when all workers are blocked: of a scheduler that was just started, and of a thread
/// pool that has as many threads.
/// </summary>
internal static class BlockedWorkers
{
    private const string Unit = "ms";
    private const double NanosecondsPerMillisecond = 1e6;

    // The pool needs a second for some kinds, as is known.
    private const int PoolRounds = 1;

    public static Look<(double Ours, Func<double> Pool)> Create(BlockingKind kind)
    {
        var (name, againstPool) = ($"blocked, {kind.Name}", $"blocked, {kind.Name} vs pool");
        return new(
            [
                LookRow<(double Ours, Func<double> Pool)>.Limit(
                    name, static found => found.Ours, SchedulerTargets.BlockedLimit, Unit, SchedulerTargets.BlockedGoal),
                new(againstPool, default, found => BenchmarkRow.Cost(
                    againstPool, PoolEngine.Name, found.Ours, found.Pool(), Unit, default)),
            ],
            (lengths, cancellation) =>
            {
                // The first one also compiles what it runs.
                MeasureOurs(kind);
                var ours = Median(lengths.Rounds, () => MeasureOurs(kind), cancellation);
                return Task.FromResult<(double, Func<double>)>(
                    (ours, () => Median(PoolRounds, () => MeasurePool(kind), cancellation)));
            });
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

    private static double MeasureOurs(BlockingKind kind)
    {
        using var engine = NumaEngine.OnOneNode();
        return Measure(kind, engine, engine.Scheduler.MaximumConcurrencyLevel);
    }

    private static double MeasurePool(BlockingKind kind)
    {
        // Threads that it added for an earlier round would be a head start: this takes them off again.
        var threads = SchedulerRows.Cpus;
        new PoolSize(threads).Dispose();
        using var engine = new PoolEngine();
        return Measure(kind, engine, threads);
    }

    private static double Measure(BlockingKind kind, IEngine engine, int workers) =>
        engine.Open(new BlockedShape(kind, workers)).Run(1).Nanoseconds / NanosecondsPerMillisecond;
}
