using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>
/// The targets of a scenario for one way to run application code. CPU and the 99th percentile are ours / theirs, at most; a rate
/// is ours / theirs, at least, as a person says it (1.6 times as many).
/// </summary>
/// <param name="Cpu">Required.</param>
/// <param name="CpuGoal">Aimed at.</param>
/// <param name="Rate">Required.</param>
/// <param name="RateGoal">Aimed at.</param>
/// <param name="P99">Required.</param>
/// <param name="AgainstInline">Of CPU of Adaptive against Inline, where that is not the usual one.</param>
internal sealed record ScenarioTargets(
    double? Cpu = null,
    double? CpuGoal = null,
    double? Rate = null,
    double? RateGoal = null,
    double? P99 = null,
    double? AgainstInline = null)
{
    public static ScenarioTargets None { get; } = new();

    public RowTarget OfCpu => new(Cpu, CpuGoal);

    /// <summary>As ratios of which less is better.</summary>
    public RowTarget OfRate => new(Inverse(Rate), Inverse(RateGoal));

    public RowTarget OfP99 => new(P99, null);

    private static double? Inverse(double? rate) => rate is { } times ? Math.Round(1 / times, 3) : null;
}
