using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Scheduling.Blocking;
using NumaSharp.Playground.Benchmarks.Scheduling.Idle;

namespace NumaSharp.Playground.Benchmarks.Scheduling;

/// <summary>The rows of the scheduler benchmark.</summary>
internal static class SchedulerRows
{
    /// <summary>The CPUs of this process: so many workers, and so many threads of the pool.</summary>
    public static int Cpus { get; } = BenchmarkCpus.AllowedCpus(Environment.ProcessId).Count;

    public static IReadOnlyList<IRowSource> Create() =>
    [
        .. ItemRows.Create(Cpus),
        .. WatchedRows.Create(Cpus),
        .. SpinRows.Create(Cpus),
        .. TaskRows.Create(Cpus),
        .. BlockingKind.All.Select(BlockedWorkers.Create),
        IdleProcess.Create(),
    ];

    public static string Method(ContestLengths lengths) => string.Create(
        CultureInfo.InvariantCulture,
        $"{Cpus} workers and as many threads of the pool; the median of {lengths.Rounds} rounds, each of "
            + $"{EngineSides.UsualSlices} slices of {Slice(lengths):N0} ms of each side forward and "
            + $"backward; CPU is that of the whole process");

    private static double Slice(ContestLengths lengths) => lengths.Run.TotalMilliseconds / EngineSides.UsualSlices;
}
