using System.Diagnostics;
using System.Reflection;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Idle;

/// <summary>
/// CPU time of a process whose scheduler has nothing to do, its monitor included, beyond that of the same process without a
/// scheduler. Both run at the same time.
/// </summary>
internal static class IdleProcess
{
    // Spare workers end after a second, and compiled code arrives late.
    private static readonly TimeSpan s_untilQuiet = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_round = TimeSpan.FromSeconds(1);

    public static Look<double> Create() => new(
        [
            LookRow<double>.Limit(
                "idle process", static use => Math.Max(0, use), SchedulerTargets.IdleLimit, "us/s", SchedulerTargets.IdleGoal),
        ],
        static async (lengths, cancellation) =>
        {
            using var ours = Start(withScheduler: true);
            using var without = Start(withScheduler: false);
            await UntilReadyAsync(ours, cancellation);
            await UntilReadyAsync(without, cancellation);
            await Task.Delay(s_untilQuiet, cancellation);
            return await MeasureAsync(ours, without, lengths.Rounds, cancellation);
        });

    // The mean and not the median: rare wake-ups must count.
    private static async Task<double> MeasureAsync(
        ChildProcess ours, ChildProcess without, int seconds, CancellationToken cancellation)
    {
        var (ourClock, theirClock) = (new ProcessCpuClock(ours.Id), new ProcessCpuClock(without.Id));
        var (ourStart, theirStart) = (ourClock.ReadNanoseconds(), theirClock.ReadNanoseconds());
        var start = Stopwatch.GetTimestamp();
        await Task.Delay(seconds * s_round, cancellation);
        var nanosecondsPerMicrosecond = 1000 * Stopwatch.GetElapsedTime(start).TotalSeconds;
        var ourUse = ourClock.ReadNanoseconds() - ourStart;
        return (ourUse - (theirClock.ReadNanoseconds() - theirStart)) / nanosecondsPerMicrosecond;
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
