using System.Diagnostics.Metrics;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The instruments of the datagram sockets, loops summed up by node, closed sockets included.</summary>
internal static class UdpMetrics
{
    private static readonly KeyValuePair<string, object?> s_receive = new(NumaTelemetry.IoDirectionAttribute, "receive");
    private static readonly KeyValuePair<string, object?> s_transmit = new(NumaTelemetry.IoDirectionAttribute, "transmit");

    public static void Add(Meter meter, NumaUdpSocketFactory udp)
    {
        meter.CreateObservableUpDownCounter(
            NumaTelemetry.UdpSockets,
            () => Sum(
                udp.Sockets.SelectMany(static socket => socket.GetStatistics()), static shard => shard.IsServing ? 1 : 0),
            "{socket}",
            "Datagram sockets of the node's loops that are open, one for each shard.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpDatagrams,
            () => Observe(
                udp, (static loop => loop.ReceivedDatagrams, s_receive), (static loop => loop.SentDatagrams, s_transmit)),
            "{datagram}",
            "Datagrams that the node's loops have received and sent.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpIo,
            () => Observe(
                udp, (static loop => loop.ReceivedBytes, s_receive), (static loop => loop.SentBytes, s_transmit)),
            "By",
            "Payload of the datagrams that the node's loops have received and sent.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpReceives,
            () => Sum(udp.GetStatistics(), static loop => loop.ReceivedBatches),
            "{call}",
            "System calls that have received datagrams on the node's loops.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpDrops,
            () => Observe(
                udp,
                (static loop => loop.BuffersDropped, Error("receive_buffer_full")),
                (static loop => loop.RepliesDropped, Error("send_buffer_full")),
                (static loop => loop.RefusedDatagrams, Error("refused"))),
            "{datagram}",
            "Datagrams that were lost on the node's loops, and counted: what the kernel has joined counts once.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpErrors,
            () => Observe(
                udp,
                (static loop => loop.PeerErrors, Error("peer")),
                (static loop => loop.ReceiveErrors, Error("receive")),
                (static loop => loop.TruncatedMessages, Error("truncated")),
                (static loop => loop.HandlerFailures, Error("handler"))),
            "{error}",
            "What went wrong on the node's loops: errors of peers (ICMP), failed receives, cut datagrams, handlers that threw.");
        meter.CreateObservableCounter(
            NumaTelemetry.UdpRestarts,
            () => Sum(udp.GetStatistics(), static loop => loop.Restarts),
            "{restart}",
            "How often datagram sockets of the node's loops were lost, and made anew.");
    }

    private static KeyValuePair<string, object?> Error(string type) => new(NumaTelemetry.ErrorTypeAttribute, type);

    private static IEnumerable<Measurement<long>> Observe(
        NumaUdpSocketFactory udp,
        params (Func<NumaUdpShardStatistics, long> Read, KeyValuePair<string, object?> Tag)[] figures)
    {
        var loops = udp.GetStatistics();
        return figures.SelectMany(figure => Sum(loops, figure.Read, figure.Tag));
    }

    private static IEnumerable<Measurement<long>> Sum(
        IEnumerable<NumaUdpShardStatistics> shards,
        Func<NumaUdpShardStatistics, long> read,
        KeyValuePair<string, object?>? attribute = null) =>
        shards.GroupBy(static shard => shard.NodeId)
            .Select(node => NodePoints.Of(node.Key, node.Sum(read), attribute));
}
