using NumaSharp.Playground.Benchmarks.Udp.Load;

namespace NumaSharp.Playground.Benchmarks.Udp;

/// <summary>How long each part takes.</summary>
/// <param name="Rounds">Odd, so that one of them is the middle one.</param>
/// <param name="Run">Of a run.</param>
/// <param name="WarmUp">Of each of the two runs that warm a side up.</param>
internal sealed record UdpRunLengths(int Rounds, TimeSpan Run, TimeSpan WarmUp)
{
    /// <summary>What a load runs before and after the part that is measured.</summary>
    public static readonly TimeSpan Lead = TimeSpan.FromMilliseconds(200);

    private static readonly TimeSpan s_start = TimeSpan.FromMilliseconds(300);

    public static UdpRunLengths Quick { get; } = new(5, TimeSpan.FromMilliseconds(500), TimeSpan.FromMilliseconds(700));

    public static UdpRunLengths Full { get; } = new(7, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));

    public TimeSpan Budget(IEnumerable<UdpScenario> scenarios) => scenarios.Aggregate(
        TimeSpan.Zero,
        (sum, scenario) => sum + (scenario.Sides.Count * (s_start
            + (Rounds * (Run + (3 * Lead) + UdpPingCommand.StartAndWarmUp))
            + (2 * (WarmUp + (3 * Lead) + UdpPingCommand.StartAndWarmUp)))));
}
