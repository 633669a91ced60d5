using System.Diagnostics.Metrics;
using NumaSharp.Core;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>
/// The instruments of datagram sockets, summed over the loops of each node, including closed sockets; none for nodes without any.
/// </summary>
internal static class UdpMetrics
{
    private static readonly KeyValuePair<string, object?> s_receive = new(NumaTelemetry.IoDirectionAttribute, "receive");
    private static readonly KeyValuePair<string, object?> s_transmit = new(NumaTelemetry.IoDirectionAttribute, "transmit");

    public static void Add(Meter meter, NumaUdpSocketFactory udp, NumaPlan plan)
    {
        var byNode = new LoopMeasurements<NumaUdpShardStatistics>(plan, udp.GetStatistics);
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.UdpSockets,
            byNode.Of(static loop => loop.Sockets),
            "{socket}",
            "Open datagram sockets of the node's loops, one per shard.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpDatagrams,
            byNode.Of((static loop => loop.ReceivedDatagrams, s_receive), (static loop => loop.SentDatagrams, s_transmit)),
            "{datagram}",
            "Datagrams received and sent by the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpIo,
            byNode.Of((static loop => loop.ReceivedBytes, s_receive), (static loop => loop.SentBytes, s_transmit)),
            "By",
            "Datagram payload received and sent by the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpReceives,
            byNode.Of(static loop => loop.ReceivedBatches),
            "{call}",
            "System calls of the node's loops that received datagrams.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpDrops,
            byNode.Of(
                (static loop => loop.BuffersDropped, Error("receive_buffer_full")),
                (static loop => loop.RepliesDropped, Error("send_buffer_full")),
                (static loop => loop.RefusedDatagrams, Error("refused")),
                (static loop => loop.OwnSourceDropped, Error("own_source"))),
            "{datagram}",
            "Datagrams lost on the node's loops; datagrams joined by the kernel (UDP_GRO) may count as one.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpErrors,
            byNode.Of(
                (static loop => loop.PeerErrors, Error("peer")),
                (static loop => loop.ReceiveErrors, Error("receive")),
                (static loop => loop.TruncatedMessages, Error("truncated")),
                (static loop => loop.HandlerFailures, Error("handler")),
                (static loop => loop.HandlersReplaced, Error("handler_stuck"))),
            "{error}",
            "Errors on the node's loops: reported by peers (ICMP), failed receives, truncated messages, handlers that threw or "
            + "hung.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpRestarts,
            byNode.Of(static loop => loop.Restarts),
            "{restart}",
            "Datagram sockets of the node's loops that were lost and reopened.");
    }

    private static KeyValuePair<string, object?> Error(string type) => new(NumaTelemetry.ErrorTypeAttribute, type);
}
