using System.Globalization;
using System.Net;
using System.Text.Json;

namespace NumaSharp.Udp.Tests.RealClients;

/// <summary>A stream of iperf3(1), in both directions: what its ends say agrees with what ours in between have counted.</summary>
public sealed class Iperf3Tests
{
    private const int Datagrams = 5000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stream_ThroughARelay_IsPassedOnAndNothingIsLostUncounted(bool isReverse)
    {
        ExternalProgram.SkipUnlessThere("iperf3");
        using var port = new BoundPortPair();
        var server = port.EndPoint;
        await using var program = await ExternalProgram.StartAsync(
            "iperf3", "Server listening", ["--server", "--forceflush", "--bind", .. AddressOf(server)]);
        await using var relay = new Relay(server);
        string[] direction = isReverse ? ["--reverse"] : [];

        // By their number, not by time: a busy machine takes longer. So slow that few are lost.
        var output = await ExternalProgram.RunAsync("iperf3",
            [
                "--client", .. AddressOf(relay.Front.LocalEndPoint), "--udp", "--bitrate", "50M", "--length", "1200",
                "--blockcount", Datagrams.ToString(CultureInfo.InvariantCulture), "--json", .. direction,
            ]);
        using var report = JsonDocument.Parse(output);
        var end = report.RootElement.GetProperty("end");
        var sent = end.GetProperty("sum_sent").GetProperty("packets").GetInt64();
        var lost = end.GetProperty("sum_received").GetProperty("lost_packets").GetInt64();

        // In reverse the server sends until the client, which counts, has stopped it: on a busy machine some thousands more. What
        // it says that it has sent must be what our counters have, below.
        Assert.InRange(sent, Datagrams, isReverse ? long.MaxValue : 2 * Datagrams);
        Assert.InRange(lost, 0, sent - 1);

        // And one by which the client makes itself known, and its answer. What is still queued when iperf3 ends is passed
        // on, too.
        var (first, second) = isReverse ? (relay.Back, relay.Front) : (relay.Front, relay.Back);
        UdpMachine.Until(first, sum => sum.ReceivedDatagrams + sum.BuffersDropped == sent + 1);
        var received = UdpMachine.SumOf(first).ReceivedDatagrams;
        UdpMachine.Until(second, sum => sum.SentDatagrams + sum.RefusedDatagrams == received);
        Assert.Equal(1, UdpMachine.SumOf(second).ReceivedDatagrams);
        Assert.Equal(1, UdpMachine.SumOf(first).SentDatagrams);
    }

    private static string[] AddressOf(IPEndPoint endPoint) =>
        [$"{endPoint.Address}", "--port", endPoint.Port.ToString(CultureInfo.InvariantCulture)];
}
