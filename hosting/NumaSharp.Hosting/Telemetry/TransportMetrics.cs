using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The transport's instruments, summed over the loops of each node.</summary>
internal static class TransportMetrics
{
    private static readonly KeyValuePair<string, object?> s_receive = new(NumaTelemetry.IoDirectionAttribute, "receive");
    private static readonly KeyValuePair<string, object?> s_transmit = new(NumaTelemetry.IoDirectionAttribute, "transmit");

    public static void Add(Meter meter, EpollTransportFactory transport, NumaPlan plan)
    {
        var byNode = new LoopPoints<EpollLoopStatistics>(plan, loop => transport.GetStatistics(loop));
        var loops = plan.LoopCount;
        Func<int, long> connectionsOf = loop => transport.GetStatistics(loop).ActiveConnections;
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportActiveConnections,
            byNode.Of(static loop => loop.ActiveConnections),
            "{connection}",
            "Connections of the node's loops that are open.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAccepts,
            byNode.Of(static loop => loop.AcceptedConnections),
            "{connection}",
            "Connections that the node's loops have got.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportPlacements,
            byNode.Of(static loop => loop.PlacedConnections),
            "{connection}",
            "Connections that the node's loops have got from other loops' listening sockets.");
        meter.CreateObservableGauge(
            NumaTelemetry.TransportImbalance,
            () => ImbalanceOf(loops, connectionsOf),
            "1",
            "How many times the mean of all loops the busiest loop has connections.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAcceptErrors,
            byNode.Of(static loop => loop.AcceptErrors),
            "{error}",
            "Errors of accepting on the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportIo,
            byNode.Of((static loop => loop.BytesReceived, s_receive), (static loop => loop.BytesSent, s_transmit)),
            "By",
            "Bytes that the node's loops have received and sent.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportReceives,
            byNode.Of(static loop => loop.SampledReceives),
            "{receive}",
            "How often the node's loops have received from connections, in whole samples; 0 on one node.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportCrossNodeReceives,
            byNode.Of(static loop => loop.CrossNodeReceives),
            "{receive}",
            "Receives of the node's loops whose packets came in by a CPU of another node, from one sample in 64.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportHandOvers,
            byNode.Of(static loop => loop.HandOvers),
            "{hand_over}",
            "How often the node's loops moved to a spare thread because application code blocked theirs.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportDemotions,
            byNode.Of(static loop => loop.Demotions),
            "{connection}",
            "How often connections of the node's loops were moved to its workers, because they, or others, kept a loop's "
                + "threads.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportRestarts,
            byNode.Of(static loop => loop.Restarts),
            "{restart}",
            "How often the node's loops were rebuilt, after a failure in the kernel or on request.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportStuckLoops,
            byNode.Of(static loop => loop.StuckFor > TimeSpan.Zero ? 1 : 0),
            "{loop}",
            "The node's loops that one callback has kept for 5 seconds or more and no other thread could take over.");
    }

    /// <summary>1 if all loops have equally many connections, or none has any.</summary>
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
