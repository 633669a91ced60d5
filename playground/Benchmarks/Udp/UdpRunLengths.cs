namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>How long each part takes.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="Run">Of the part of a run that is measured.</param>
/// <param name="WarmUp">Of that part in the two runs that warm a side up.</param>
/// <param name="Lead">What a load runs before and after that part.</param>
internal sealed record UdpRunLengths(int Rounds, TimeSpan Run, TimeSpan WarmUp, TimeSpan Lead)
{
    /// <summary>Twice: code is replaced once its callers have run for a while.</summary>
    public const int WarmUps = 2;

    // A process that starts, and a run that is asked for and reported.
    private static readonly TimeSpan s_start = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_between = TimeSpan.FromMilliseconds(20);

    public static UdpRunLengths Quick { get; } = new(
        Rounds: 5,
        Run: TimeSpan.FromMilliseconds(300),
        WarmUp: TimeSpan.FromMilliseconds(400),
        Lead: TimeSpan.FromMilliseconds(50));

    public static UdpRunLengths Full { get; } = new(
        Rounds: 7,
        Run: TimeSpan.FromSeconds(1),
        WarmUp: TimeSpan.FromSeconds(1),
        Lead: TimeSpan.FromMilliseconds(200));

    public TimeSpan Budget(IEnumerable<UdpScenario> scenarios) => scenarios.Aggregate(
        TimeSpan.Zero,
        (sum, scenario) => sum + s_start
            + (scenario.Sides.Count * (s_start + (Rounds * Whole(Run)) + (WarmUps * Whole(WarmUp)))));

    private TimeSpan Whole(TimeSpan run) => Lead + run + Lead + s_between;
}
