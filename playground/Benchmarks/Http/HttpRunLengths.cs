using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>How long each part takes.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="Run">Of a run, and of each of the two that warm a load up.</param>
/// <param name="Idle">The look at idle servers.</param>
/// <param name="AllSidesEverywhere">Whether the references are compared with many connections, too.</param>
internal sealed record HttpRunLengths(int Rounds, TimeSpan Run, TimeSpan Idle, bool AllSidesEverywhere)
{
    /// <summary>
    /// Two, because the runtime compiles what the first one made hot only when it is over (tiered compilation waits for
    /// 100 ms without new methods).
    /// </summary>
    public const int WarmUpRuns = 2;

    /// <summary>Runs of stock sockets by which the rates of the open loop are chosen; odd, as the rounds are.</summary>
    public const int CapacityRuns = 5;

    /// <summary>Starting and ending a load generator, and the pause until the servers are quiet.</summary>
    public static readonly TimeSpan BetweenRuns = TimeSpan.FromMilliseconds(250);

    // Five servers that start, and the first requests.
    private static readonly TimeSpan s_start = TimeSpan.FromSeconds(15);

    public static HttpRunLengths Quick { get; } = new(
        Rounds: 5, TimeSpan.FromMilliseconds(350), TimeSpan.FromSeconds(10), AllSidesEverywhere: false);

    public static HttpRunLengths Full { get; } = new(
        Rounds: 9, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(20), AllSidesEverywhere: true);

    /// <summary>What a plan takes in all.</summary>
    /// <param name="runs">The runs, and what each of them takes beyond its length.</param>
    public TimeSpan Budget(IEnumerable<(int Count, TimeSpan Overhead)> runs) => runs.Aggregate(
        s_start + Idle, (sum, several) => sum + (several.Count * (Run + BetweenRuns + several.Overhead)));

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{WarmUpRuns} runs of warm-up, then the median of {Rounds} rounds of {Run.TotalSeconds} s per server "
        + $"in alternating order");
}
