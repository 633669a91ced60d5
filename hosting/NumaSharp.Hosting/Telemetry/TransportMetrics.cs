using System.Diagnostics.Metrics;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The transport's instruments, loops summed up by node.</summary>
internal static class TransportMetrics
{
    private static readonly KeyValuePair<string, object?> s_receive = new(NumaTelemetry.IoDirectionAttribute, "receive");
    private static readonly KeyValuePair<string, object?> s_transmit = new(NumaTelemetry.IoDirectionAttribute, "transmit");

    public static void Add(Meter meter, EpollTransportFactory transport)
    {
        var loops = transport.GetStatistics().Count;
        Func<int, long> connectionsOf = loop => transport.GetStatistics(loop).ActiveConnections;
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportActiveConnections,
            ByNode(transport, static loop => loop.ActiveConnections),
            "{connection}",
            "Connections of the node's loops that are open.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAccepts,
            ByNode(transport, static loop => loop.AcceptedConnections),
            "{connection}",
            "Connections that the node's loops have got.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportPlacements,
            ByNode(transport, static loop => loop.PlacedConnections),
            "{connection}",
            "Connections that the node's loops have got from other loops' listening sockets.");
        meter.CreateObservableGauge(
            NumaTelemetry.TransportImbalance,
            () => ImbalanceOf(loops, connectionsOf),
            "1",
            "How many times the mean of all loops the busiest loop has connections.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAcceptErrors,
            ByNode(transport, static loop => loop.AcceptErrors),
            "{error}",
            "Errors of accepting on the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportIo,
            ByNode(transport, (static loop => loop.BytesReceived, s_receive), (static loop => loop.BytesSent, s_transmit)),
            "By",
            "Bytes that the node's loops have received and sent.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportReceives,
            ByNode(transport, static loop => loop.SampledReceives),
            "{receive}",
            "How often the node's loops have received from connections, in whole samples; 0 on one node.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportCrossNodeReceives,
            ByNode(transport, static loop => loop.CrossNodeReceives),
            "{receive}",
            "Receives of the node's loops whose packets came in by a CPU of another node, from one sample in 64.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportHandOvers,
            ByNode(transport, static loop => loop.HandOvers),
            "{hand_over}",
            "How often the node's loops went on with another thread because application code kept theirs.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportDemotions,
            ByNode(transport, static loop => loop.Demotions),
            "{connection}",
            "How often connections of the node's loops were moved to its workers for a minute, because they kept a loop's thread "
                + "again and again.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportRestarts,
            ByNode(transport, static loop => loop.Restarts),
            "{restart}",
            "How often the node's loops were made anew, by themselves after the kernel had failed them or on request.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportStuckLoops,
            ByNode(transport, static loop => loop.StuckFor > TimeSpan.Zero ? 1 : 0),
            "{loop}",
            "The node's loops that one callback has kept for 5 seconds or more and no other thread could take over.");
    }

    private static Func<IEnumerable<Measurement<long>>> ByNode(
        EpollTransportFactory transport, Func<EpollLoopStatistics, long> read) => ByNode(transport, (read, null));

    // The loops are those of the plan, and stay.
    private static Func<IEnumerable<Measurement<long>>> ByNode(
        EpollTransportFactory transport,
        params (Func<EpollLoopStatistics, long> Read, KeyValuePair<string, object?>? Attribute)[] figures)
    {
        (int Id, int[] Loops)[] nodes =
        [
            .. transport.GetStatistics().GroupBy(static loop => loop.NodeId, static loop => loop.LoopIndex)
                .Select(static node => (node.Key, node.ToArray())),
        ];
        return () =>
        {
            var points = new Measurement<long>[figures.Length * nodes.Length];
            for (var i = 0; i < points.Length; i++)
            {
                var (node, figure) = (nodes[i % nodes.Length], figures[i / nodes.Length]);
                var sum = 0L;
                foreach (var loop in node.Loops)
                {
                    sum += figure.Read(transport.GetStatistics(loop));
                }

                points[i] = NodePoints.Of(node.Id, sum, figure.Attribute);
            }

            return points;
        };
    }

    /// <summary>1 when all loops have as many connections, or none has any.</summary>
    internal static double ImbalanceOf(int loops, Func<int, long> connectionsOf)
    {
        var (all, most) = (0L, 0L);
        for (var loop = 0; loop < loops; loop++)
        {
            var connections = connectionsOf(loop);
            all += connections;
            most = Math.Max(most, connections);
        }

        return all == 0 ? 1 : (double)most * loops / all;
    }
}
