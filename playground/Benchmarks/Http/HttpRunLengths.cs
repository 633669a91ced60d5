using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>How long each part takes.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="Run">The length of a run.</param>
/// <param name="WarmUp">The length of a warm-up run.</param>
/// <param name="Stalls">The length of a run of a row of stalls.</param>
/// <param name="Idle">The length of the measurement of idle servers.</param>
/// <param name="AllSidesEverywhere">Whether the references are compared with many connections, too.</param>
internal sealed record HttpRunLengths(
    int Rounds, TimeSpan Run, TimeSpan WarmUp, TimeSpan Stalls, TimeSpan Idle, bool AllSidesEverywhere)
{
    // The values for time budgets.
    private const int UsualWarmUpRuns = 2;

    /// <summary>Runs of stock sockets by which the rates of the open loop are chosen; odd, as the rounds are.</summary>
    public const int CapacityRuns = 5;

    /// <summary>Starting and ending a load generator, and the pause until the servers are quiet.</summary>
    public static readonly TimeSpan BetweenRuns = TimeSpan.FromMilliseconds(300);

    /// <summary>After a load's warm-up: what it has left to do is done.</summary>
    public static readonly TimeSpan AfterWarmUp = TimeSpan.FromSeconds(1);

    // Five servers that start, and the first requests.
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(15);

    public static HttpRunLengths Quick { get; } = new(
        Rounds: 5,
        Run: TimeSpan.FromMilliseconds(300),
        WarmUp: TimeSpan.FromMilliseconds(500),
        Stalls: TimeSpan.FromSeconds(1),
        Idle: TimeSpan.FromSeconds(10),
        AllSidesEverywhere: false);

    public static HttpRunLengths Full { get; } = new(
        Rounds: 7,
        Run: TimeSpan.FromSeconds(1.5),
        WarmUp: TimeSpan.FromSeconds(2),
        Stalls: TimeSpan.FromSeconds(3),
        Idle: TimeSpan.FromSeconds(20),
        AllSidesEverywhere: true);

    /// <summary>What a plan takes in all.</summary>
    /// <param name="loads">How often each load is run, for how many servers it is warmed up, and what a run takes beyond.</param>
    public TimeSpan Budget(IEnumerable<(int Runs, int Cold, TimeSpan Overhead)> loads) => loads.Aggregate(
        s_start + Idle,
        (sum, load) => sum
            + (load.Runs * (Run + BetweenRuns + load.Overhead))
            + (load.Cold * WarmUpOf(load.Overhead))
            + (load.Cold > 0 ? AfterWarmUp : TimeSpan.Zero));

    /// <summary>The warm-up of one server by a load whose runs take longer than their length.</summary>
    public TimeSpan WarmUpOf(TimeSpan overhead) => UsualWarmUpRuns * (WarmUp + BetweenRuns + overhead);

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"warmed up until the runtime compiles nothing more, the median of {Rounds} rounds of {Run.TotalSeconds} s per server "
        + $"in alternating order");
}
