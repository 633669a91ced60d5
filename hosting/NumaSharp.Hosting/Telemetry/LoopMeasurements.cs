using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>Measurements per node, summed from the counters of its event loops.</summary>
/// <param name="plan">The plan with the loops: those of its nodes, in order.</param>
/// <param name="read">Reads a loop; <see langword="null"/> if it has no figures.</param>
internal sealed class LoopMeasurements<T>(NumaPlan plan, Func<int, T?> read)
    where T : struct
{
    private const int MostOnTheStack = 256;

    private readonly (NumaNodeId Id, int End)[] _nodes = NodesOf(plan);

    /// <summary>Observes a figure, summed over the loops.</summary>
    public Func<IEnumerable<Measurement<long>>> Of(Func<T, long> figure) => Of((figure, null));

    /// <summary>Observes several figures, distinguished by an attribute.</summary>
    public Func<IEnumerable<Measurement<long>>> Of(
        params (Func<T, long> Read, KeyValuePair<string, object?>? Attribute)[] figures) => () => Read(figures);

    // Every loop is read once, so that figures reported together are consistent.
    private Measurement<long>[] Read((Func<T, long> Read, KeyValuePair<string, object?>? Attribute)[] figures)
    {
        var size = figures.Length * _nodes.Length;
        Span<long> sums = size <= MostOnTheStack ? stackalloc long[MostOnTheStack] : new long[size];
        Span<NumaNodeId> ids = size <= MostOnTheStack ? stackalloc NumaNodeId[MostOnTheStack] : new NumaNodeId[size];
        var (count, loop) = (0, 0);
        foreach (var (id, end) in _nodes)
        {
            var hasAny = false;
            for (; loop < end; loop++)
            {
                if (read(loop) is { } statistics)
                {
                    hasAny = true;
                    for (var i = 0; i < figures.Length; i++)
                    {
                        sums[(i * _nodes.Length) + count] += figures[i].Read(statistics);
                    }
                }
            }

            if (hasAny)
            {
                ids[count++] = id;
            }
        }

        var points = new Measurement<long>[figures.Length * count];
        for (var i = 0; i < points.Length; i++)
        {
            var (figure, node) = Math.DivRem(i, count);
            points[i] = NodeMeasurements.Of(ids[node], sums[(figure * _nodes.Length) + node], figures[figure].Attribute);
        }

        return points;
    }

    private static (NumaNodeId Id, int End)[] NodesOf(NumaPlan plan)
    {
        var end = 0;
        return [.. plan.Nodes.Where(static node => node.Loops > 0).Select(node => (node.NodeId, end += node.Loops))];
    }
}

/// <summary>
/// Measurements per node. A read allocates an array for an instrument's measurements, and for each of them the copy of its
/// attributes that <see cref="Measurement{T}"/> makes: attributes are cached, and their numbers boxed once.
/// </summary>
internal static class NodeMeasurements
{
    // Bounded: the number of nodes times the few values of the other attributes.
    private static readonly ConcurrentDictionary<
        (NumaNodeId NodeId, string? Name, object? Value), KeyValuePair<string, object?>[]> s_attributes = new();

    /// <summary>A node's measurement, optionally with another attribute.</summary>
    public static Measurement<long> Of(NumaNodeId nodeId, long value, KeyValuePair<string, object?>? attribute = null) =>
        new(value, AttributesOf((nodeId, attribute?.Key, attribute?.Value)));

    /// <summary>Observes each node of a plan.</summary>
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
