namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>
/// The targets of a scenario: the required CPU ratio, and goals for CPU, for the rate (ours / theirs, as a
/// person says it: 1.6 times as many) and for the 99th percentile; and the ratio to keep of CPU of Adaptive against Inline.
/// </summary>
internal sealed record ScenarioTargets(
    double? Cpu = null, double? CpuGoal = null, double? Rate = null, double? P99 = null, double? AgainstInline = null)
{
    public static ScenarioTargets None { get; } = new();

    /// <summary>The rate's goal as a ratio of which less is better.</summary>
    public double? RateGoal => Rate is { } rate ? Math.Round(1 / rate, 3) : null;
}
