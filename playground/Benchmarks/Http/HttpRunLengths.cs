using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>How long each part takes, in seconds; load generators take whole ones.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="RunSeconds">Of a run, and of each of the two that warm a scenario up.</param>
/// <param name="IdleSeconds">Of the look at idle servers.</param>
internal sealed record HttpRunLengths(int Rounds, int RunSeconds, int IdleSeconds)
{
    /// <summary>
    /// Two, because the runtime compiles what the first one made hot only when it is over (tiered compilation waits for
    /// 100 ms without new methods).
    /// </summary>
    public const int WarmUpRuns = 2;

    // Starting and ending a load generator, and the pause until the servers are quiet.
    private const double SecondsBetweenRuns = 0.3;
    private const int SecondsAfterWarmUp = 1;

    // Three servers that start, and the first requests.
    private const int StartSeconds = 15;

    public static HttpRunLengths Quick { get; } = new(Rounds: 7, RunSeconds: 1, IdleSeconds: 10);

    public static HttpRunLengths Full { get; } = new(Rounds: 9, RunSeconds: 3, IdleSeconds: 20);

    public TimeSpan Budget(int scenarios, int servers) => TimeSpan.FromSeconds(
        StartSeconds
        + IdleSeconds
        + (scenarios * (SecondsAfterWarmUp + (servers * (WarmUpRuns + Rounds) * (RunSeconds + SecondsBetweenRuns)))));

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{WarmUpRuns} runs of warm-up, then the median of {Rounds} rounds of {RunSeconds} s per server in alternating order");
}
