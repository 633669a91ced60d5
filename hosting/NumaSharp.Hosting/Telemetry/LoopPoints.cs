using System.Diagnostics.Metrics;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>Points by node of what is counted by event loop.</summary>
/// <param name="plan">The loops: those of its nodes, in their order.</param>
/// <param name="read">Reads a loop; <see langword="null"/> where it has nothing to tell.</param>
internal sealed class LoopPoints<T>(NumaPlan plan, Func<int, T?> read)
    where T : struct
{
    private const int MostOnTheStack = 256;

    private readonly (NumaNodeId Id, int End)[] _nodes = NodesOf(plan);

    /// <summary>Observes a figure of the loops, summed up.</summary>
    public Func<IEnumerable<Measurement<long>>> Of(Func<T, long> figure) => Of((figure, null));

    /// <summary>Observes several, by an attribute.</summary>
    public Func<IEnumerable<Measurement<long>>> Of(
        params (Func<T, long> Read, KeyValuePair<string, object?>? Attribute)[] figures) => () => Read(figures);

    // Every loop is read once: what is told together belongs together.
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
            points[i] = NodePoints.Of(ids[node], sums[(figure * _nodes.Length) + node], figures[figure].Attribute);
        }

        return points;
    }

    private static (NumaNodeId Id, int End)[] NodesOf(NumaPlan plan)
    {
        var end = 0;
        return [.. plan.Nodes.Where(static node => node.Loops > 0).Select(node => (node.NodeId, end += node.Loops))];
    }
}
