using System.Diagnostics;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Idle;

/// <summary>
/// CPU time of a process whose scheduler has nothing to do, its monitor included, beyond that of the same process without a
/// scheduler. Both run at the same time.
/// </summary>
internal sealed class IdleProcess : IRowSource
{
    private const string Name = "idle process";
    private const string AgainstNothing = "idle process vs without";
    private const string Unit = "us/s";

    // Spare workers end after a second, and compiled code arrives late.
    private static readonly TimeSpan s_untilQuiet = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_round = TimeSpan.FromSeconds(1);

    private readonly IReadOnlyList<(string Name, RowTarget Target)> _rows;

    public IdleProcess()
        : this([(Name, new RowTarget(1, SchedulerTargets.IdleGoal)), (AgainstNothing, default)])
    {
    }

    private IdleProcess(IReadOnlyList<(string Name, RowTarget Target)> rows) => _rows = rows;

    public IReadOnlyList<(string Name, RowTarget Target)> Rows => _rows;

    public IRowSource? Where(Func<string, bool> isWanted)
    {
        (string, RowTarget)[] left = [.. _rows.Where(row => isWanted(row.Name))];
        return left.Length == 0 ? null : new IdleProcess(left);
    }

    public async Task MeasureAsync(ContestLengths lengths, Action<MeasuredRow> report, CancellationToken cancellation)
    {
        using var ours = Start(withScheduler: true);
        using var without = Start(withScheduler: false);
        await UntilReadyAsync(ours, cancellation);
        await UntilReadyAsync(without, cancellation);
        await Task.Delay(s_untilQuiet, cancellation);
        var (ourUse, theirUse) = await MeasureAsync(ours, without, lengths.Rounds, cancellation);
        foreach (var (name, target) in _rows)
        {
            report(new MeasuredRow(
                target.Required is null
                    ? BenchmarkRow.Cost(name, "no scheduler", Whole(ourUse), Whole(theirUse), Unit, target)
                    : BenchmarkRow.Limit(name, Math.Max(0, ourUse - theirUse), SchedulerTargets.IdleLimit, Unit, target.Goal),
                null));
        }
    }

    // A process that does nothing at all is nothing to divide by.
    private static double Whole(double microseconds) => Math.Max(1, microseconds);

    // The mean and not the median: what wakes up now and then is what is looked for.
    private static async Task<(double Ours, double Theirs)> MeasureAsync(
        ChildProcess ours, ChildProcess without, int seconds, CancellationToken cancellation)
    {
        var (ourClock, theirClock) = (new ProcessCpuClock(ours.Id), new ProcessCpuClock(without.Id));
        var (ourStart, theirStart) = (ourClock.ReadNanoseconds(), theirClock.ReadNanoseconds());
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(seconds * s_round, cancellation);
        var nanosecondsPerMicrosecond = 1000 * Stopwatch.GetElapsedTime(start).TotalSeconds;
        return (
            (ourClock.ReadNanoseconds() - ourStart) / nanosecondsPerMicrosecond,
            (theirClock.ReadNanoseconds() - theirStart) / nanosecondsPerMicrosecond);
    }

    private static ChildProcess Start(bool withScheduler) => ChildProcess.Start(
        new ProcessStartInfo(
            Executables.DotnetHost,
            [Assembly.GetExecutingAssembly().Location, .. IdleCommand.Arguments(withScheduler)]),
        cpu: null);

    private static async Task UntilReadyAsync(ChildProcess process, CancellationToken cancellation)
    {
        var start = Stopwatch.GetTimestamp();
        while (!process.Output.Contains(IdleCommand.Ready))
        {
            if (process.HasExited || Stopwatch.GetElapsedTime(start) > s_start)
            {
                throw new BenchmarkException($"the process that is to be idle did not get there: {process.LastWords}");
            }

            await Task.Delay(s_look, cancellation);
        }
    }
}
