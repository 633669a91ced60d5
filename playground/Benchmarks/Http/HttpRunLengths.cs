using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>How long each part takes, in seconds; load generators take whole ones.</summary>
internal sealed record HttpRunLengths(int Rounds, int RunSeconds, int WarmUpSeconds, int IdleSeconds)
{
    // Starting and ending a load generator, and the pause after it.
    private const double SecondsBetweenRuns = 0.35;

    // Three servers that start, and the first requests.
    private const int StartSeconds = 15;

    public static HttpRunLengths Quick { get; } = new(Rounds: 7, RunSeconds: 1, WarmUpSeconds: 2, IdleSeconds: 5);

    public static HttpRunLengths Full { get; } = new(Rounds: 9, RunSeconds: 3, WarmUpSeconds: 5, IdleSeconds: 20);

    public TimeSpan Budget(int scenarioSides) => TimeSpan.FromSeconds(
        StartSeconds
        + IdleSeconds
        + (scenarioSides * (WarmUpSeconds + SecondsBetweenRuns + (Rounds * (RunSeconds + SecondsBetweenRuns)))));

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{WarmUpSeconds} s of warm-up, then the median of {Rounds} runs of {RunSeconds} s per server in alternating order");
}
