using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One kind of load, and the targets for the two ways to run application code.</summary>
/// <param name="Name">First part of the rows' names.</param>
/// <param name="MetricSuffix">What follows the metric in the rows' names, such as a number of connections.</param>
/// <param name="Load">What makes the load.</param>
/// <param name="OnLoop">Targets for dispatch Adaptive and Inline.</param>
/// <param name="OnNode">Targets for dispatch Node.</param>
internal sealed record HttpScenario(
    string Name, string MetricSuffix, ILoadGenerator Load, ScenarioTargets OnLoop, ScenarioTargets OnNode)
{
    // Of CPU per request: what the watchdog and the baton may cost.
    private const double AdaptiveAgainstInline = 1.03;

    public HttpScenario(string name, ILoadGenerator load, ScenarioTargets onLoop, ScenarioTargets onNode)
        : this(name, string.Empty, load, onLoop, onNode)
    {
    }

    /// <summary>Another number of connections, or another rate, of a load that is measured already.</summary>
    public bool IsVariant => MetricSuffix.Length > 0;

    /// <summary>Whether its rate is a share of what stock sockets take.</summary>
    public bool NeedsCapacity => Load is OpenLoopLoad { IsPercent: true };

    /// <summary>The target of Adaptive against Inline; null where the two are not compared.</summary>
    public double? InlineTarget => OnLoop.AgainstInline ?? (IsVariant ? null : AdaptiveAgainstInline);

    /// <summary>CPU of Adaptive against Inline, in the same rounds.</summary>
    public string InlineRow => $"{Name} cpu{MetricSuffix} vs inline";

    public string RowName(HttpMetric metric, ServerSide side) => $"{Name} {metric.Name}{MetricSuffix}{side.RowSuffix}";

    public ScenarioTargets TargetsOf(ServerSide side) => side.Dispatch switch
    {
        DispatchMode.Adaptive or DispatchMode.Inline => OnLoop,
        DispatchMode.Node => OnNode,
        _ => ScenarioTargets.None,
    };
}
