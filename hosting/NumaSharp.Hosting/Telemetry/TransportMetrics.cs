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
        var byNode = new LoopMeasurements<EpollLoopStatistics>(plan, loop => transport.GetStatistics(loop));
        var loops = plan.LoopCount;
        Func<int, long> connectionsOf = loop => transport.GetStatistics(loop).ActiveConnections;
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportActiveConnections,
            byNode.Of(static loop => loop.ActiveConnections),
            "{connection}",
            "Open connections of the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAccepts,
            byNode.Of(static loop => loop.AcceptedConnections),
            "{connection}",
            "Accepted connections assigned to the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportPlacements,
            byNode.Of(static loop => loop.PlacedConnections),
            "{connection}",
            "Accepted connections assigned to the node's loops from other loops' listening sockets.");
        meter.CreateObservableGauge(
            NumaTelemetry.TransportImbalance,
            () => ImbalanceOf(loops, connectionsOf),
            "1",
            "Connections of the busiest loop divided by the mean over all loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportAcceptErrors,
            byNode.Of(static loop => loop.AcceptErrors),
            "{error}",
            "Accept errors of the node's loops, refused clients and failed setups included.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportIo,
            byNode.Of((static loop => loop.BytesReceived, s_receive), (static loop => loop.BytesSent, s_transmit)),
            "By",
            "Bytes received and sent by the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportReceives,
            byNode.Of(static loop => loop.EstimatedReceives),
            "{receive}",
            "Receives by the node's loops, estimated from one sample in 64; 0 if only one node has CPUs.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportCrossNodeReceives,
            byNode.Of(static loop => loop.CrossNodeReceives),
            "{receive}",
            "Receives by the node's loops whose packets arrived through another node's CPU, estimated from one sample in 64.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportHandOvers,
            byNode.Of(static loop => loop.HandOvers),
            "{hand_over}",
            "Moves of the node's loops to a spare thread because application code blocked theirs.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportDemotions,
            byNode.Of(static loop => loop.Demotions),
            "{connection}",
            "Moves of connections from the node's loops to its workers because callbacks blocked the loops' threads.");
        meter.CreateObservableCounter(
            NumaTelemetry.TransportRestarts,
            byNode.Of(static loop => loop.Restarts),
            "{restart}",
            "Rebuilds of the node's loops, after a kernel failure or on request.");
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.TransportStuckLoops,
            byNode.Of(static loop => loop.StuckFor > TimeSpan.Zero ? 1 : 0),
            "{loop}",
            "Loops of the node blocked by one callback for 5 seconds or more that no other thread could take over.");
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
