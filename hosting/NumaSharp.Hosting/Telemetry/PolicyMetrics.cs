using System.Diagnostics.Metrics;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of fallbacks.</summary>
internal sealed class PolicyMetrics(NumaFallbacks fallbacks)
{
    // A fallback that has ended is reported as 0: a series that just stops looks as if it were no longer collected.
    private readonly Dictionary<(string Feature, NumaNodeId? NodeId), KeyValuePair<string, object?>[]> _seen = [];
    private readonly Lock _lock = new();

    public static void Add(Meter meter, NumaFallbacks fallbacks)
    {
        meter.CreateObservableCounter(
            NumaTelemetry.PolicyFallbacks,
            () => fallbacks.ReportCount,
            "{fallback}",
            "Reported fallbacks, repeats included.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.PolicyActiveFallbacks,
            new PolicyMetrics(fallbacks).Observe,
            "{fallback}",
            "Fallbacks by feature and node: 1 while in force, 0 after recovery.");
    }

    private static KeyValuePair<string, object?>[] TagsOf(NumaFallback fallback)
    {
        var feature = new KeyValuePair<string, object?>(NumaTelemetry.FeatureAttribute, fallback.Feature);
        return fallback.NodeId is { } node ? [feature, new(NumaTelemetry.NodeIdAttribute, node.Value)] : [feature];
    }

    private Measurement<int>[] Observe()
    {
        var current = fallbacks.Current;
        lock (_lock)
        {
            foreach (var fallback in current)
            {
                if (!_seen.ContainsKey((fallback.Feature, fallback.NodeId)))
                {
                    _seen.Add((fallback.Feature, fallback.NodeId), TagsOf(fallback));
                }
            }

            return
            [
                .. _seen.Select(seen => new Measurement<int>(
                    current.Any(one => (one.Feature, one.NodeId) == seen.Key) ? 1 : 0, seen.Value)),
            ];
        }
    }
}
