using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Playground.Benchmarks.Http.Load.OpenLoop;
using NumaSharp.Playground.Benchmarks.Reporting;

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

    private static readonly RowTarget s_againstSocketsInline = new(0.85, 0.60);

    public HttpScenario(string name, ILoadGenerator load, ScenarioTargets onLoop, ScenarioTargets onNode)
        : this(name, string.Empty, load, onLoop, onNode)
    {
    }

    /// <summary>How its servers run.</summary>
    public ServerSetting Setting { get; init; } = ServerSetting.Usual;

    /// <summary>Whether only the default is compared with the peer; always so outside the usual setting.</summary>
    public bool IsOfDefault { get => field || Setting != ServerSetting.Usual; init; }

    /// <summary>Another number of connections, or another rate, of a load that is measured already.</summary>
    public bool IsVariant => MetricSuffix.Length > 0;

    /// <summary>A short run compares what users choose between, under one load of each kind.</summary>
    public bool IsOfShortRuns => !IsVariant && !IsOfDefault;

    /// <summary>Whether its rate is a share of what stock sockets take.</summary>
    public bool NeedsCapacity => Load is OpenLoopLoad { IsPercent: true };

    /// <summary>The rows of CPU of Adaptive against the references, in the same rounds.</summary>
    public IEnumerable<ReferenceRow> ReferenceRows
    {
        get
        {
            if (IsOfDefault)
            {
                yield break;
            }

            if ((OnLoop.AgainstInline ?? (IsVariant ? null : AdaptiveAgainstInline)) is { } inline)
            {
                yield return new ReferenceRow(
                    $"{Name} cpu{MetricSuffix} vs inline", nameof(DispatchMode.Inline), new RowTarget(inline, null));
            }

            if ((Load.Figures & LoadFigures.Rate) != 0)
            {
                yield return new ReferenceRow(
                    $"{Name} cpu{MetricSuffix} vs sockets-inline", ServerSide.SocketsInline.Name, s_againstSocketsInline);
            }
        }
    }

    public string RowName(HttpMetric metric, ServerSide side) => $"{Name} {metric.Name}{MetricSuffix}{side.RowSuffix}";

    public ScenarioTargets TargetsOf(ServerSide side) => side.Dispatch switch
    {
        DispatchMode.Adaptive or DispatchMode.Inline => OnLoop,
        DispatchMode.Node => OnNode,
        _ => ScenarioTargets.None,
    };
}

/// <summary>A row of CPU of Adaptive against a reference.</summary>
/// <param name="Name">The row's.</param>
/// <param name="Reference">The side's.</param>
/// <param name="Target">The row's.</param>
internal sealed record ReferenceRow(string Name, string Reference, RowTarget Target);
