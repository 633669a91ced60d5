using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// Points per node. A read allocates an array for an instrument's points, and for each point the copy of its attributes made by
/// <see cref="Measurement{T}"/>: attributes are cached, and their numbers boxed once.
/// </summary>
internal static class NodeMeasurements
{
    // Bounded: the number of nodes times the few values of the other attributes.
    private static readonly ConcurrentDictionary<
        (NumaNodeId NodeId, string? Name, object? Value), KeyValuePair<string, object?>[]> s_attributes = new();

    /// <summary>A point of a node, optionally with another attribute.</summary>
    public static Measurement<long> Of(NumaNodeId nodeId, long value, KeyValuePair<string, object?>? attribute = null) =>
        new(value, AttributesOf((nodeId, attribute?.Key, attribute?.Value)));

    /// <summary>Reads a point for each node of a plan.</summary>
    public static Func<IEnumerable<Measurement<long>>> For(NumaPlan plan, Func<NumaNodePlan, long> read) => () =>
    {
        var points = new Measurement<long>[plan.Nodes.Count];
        for (var i = 0; i < points.Length; i++)
        {
            points[i] = Of(plan.Nodes[i].NodeId, read(plan.Nodes[i]));
        }

        return points;
    };

    private static KeyValuePair<string, object?>[] AttributesOf((NumaNodeId NodeId, string? Name, object? Value) key) =>
        s_attributes.GetOrAdd(key, static key =>
        {
            var node = new KeyValuePair<string, object?>(NumaTelemetry.NodeIdAttribute, key.NodeId.Value);
            return key.Name is null ? [node] : [node, new(key.Name, key.Value)];
        });
}
