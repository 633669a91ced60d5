using NumaSharp.Playground.Benchmarks.Http.Load;

namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>One kind of load, and what is asked of the two ways to run application code.</summary>
/// <param name="Name">First part of the rows' names.</param>
/// <param name="MetricSuffix">What follows the metric in the rows' names, such as a number of connections.</param>
/// <param name="Load">What makes the load.</param>
/// <param name="OnLoop">Asked of dispatch Adaptive and Inline.</param>
/// <param name="OnNode">Asked of dispatch Node.</param>
internal sealed record HttpScenario(
    string Name, string MetricSuffix, ILoadGenerator Load, ScenarioTargets OnLoop, ScenarioTargets OnNode)
{
    public HttpScenario(string name, ILoadGenerator load, ScenarioTargets onLoop, ScenarioTargets onNode)
        : this(name, string.Empty, load, onLoop, onNode)
    {
    }

    public string RowName(string metric, ServerSide side) => $"{Name} {metric}{MetricSuffix}{side.RowSuffix}";

    public ScenarioTargets TargetsOf(ServerSide side) => side.Dispatch switch
    {
        DispatchMode.Adaptive or DispatchMode.Inline => OnLoop,
        DispatchMode.Node => OnNode,
        _ => ScenarioTargets.None,
    };
}
