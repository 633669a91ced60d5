using System.Globalization;
using System.Text.Json;

namespace NumaSharp.Udp.Tests.RealClients;

/// <summary>A stream of iperf3(1), in both directions: what its ends say agrees with what ours in between have counted.</summary>
public sealed class Iperf3Tests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Stream_ThroughARelay_IsPassedOnAndNothingIsLostUncounted(bool isReverse)
    {
        ExternalProgram.SkipUnlessThere("iperf3");
        var server = Relay.FreeEndPoint();
        var port = server.Port.ToString(CultureInfo.InvariantCulture);
        await using var program = await ExternalProgram.StartAsync(
            "iperf3", "Server listening", "--server", "--bind", "127.0.0.1", "--port", port, "--forceflush");
        await using var relay = new Relay(server);
        string[] direction = isReverse ? ["--reverse"] : [];

        // So slow that nobody falls behind for long, however busy the machine is.
        var output = await ExternalProgram.RunAsync("iperf3",
            [
                "--client", "127.0.0.1", "--port", relay.Front.LocalEndPoint.Port.ToString(CultureInfo.InvariantCulture),
                "--udp", "--bitrate", "50M", "--length", "1200", "--time", "2", "--json", .. direction,
            ]);
        using var report = JsonDocument.Parse(output);
        var end = report.RootElement.GetProperty("end");
        var sent = end.GetProperty("sum_sent").GetProperty("packets").GetInt64();
        var lost = end.GetProperty("sum_received").GetProperty("lost_packets").GetInt64();
        Assert.InRange(sent, 5000, 12_000);
        Assert.InRange(lost, 0, sent / 2);

        // And one by which the client makes itself known, and its answer.
        var (front, back) = (relay.Front.GetStatistics()[0], relay.Back.GetStatistics()[0]);
        var (first, second) = isReverse ? (back, front) : (front, back);
        Assert.Equal(sent + 1, first.ReceivedDatagrams + first.BuffersDropped);
        Assert.Equal(first.ReceivedDatagrams, second.SentDatagrams + second.RefusedDatagrams);
        Assert.Equal(1, second.ReceivedDatagrams);
        Assert.Equal(1, first.SentDatagrams);
    }
}
