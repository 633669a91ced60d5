using System.CommandLine;
using System.Diagnostics;
using System.Net;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Udp;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>
/// The hidden command of a sender: as fast as it can, in messages that the kernel cuts, or one by one at an even rate.
/// </summary>
internal static class UdpFloodCommand
{
    private const string Name = "udp-flood";
    private const int BatchSize = 32;

    public static IReadOnlyList<string> Arguments(
        UdpNetwork network, int port, int size, int perSecond, TimeSpan length) =>
        LoadCommand.Line(Name, (int)network, port, size, perSecond, (int)length.TotalMilliseconds);

    public static Command Create(TextWriter output)
    {
        var network = new Argument<int>("network");
        var port = new Argument<int>("port");
        var size = new Argument<int>("size");
        var perSecond = new Argument<int>("datagrams-per-second");
        var milliseconds = new Argument<int>("milliseconds");
        return LoadCommand.Create(Name, "UDP flood.", [network, port, size, perSecond, milliseconds], output, parsed => Run(
            (UdpNetwork)parsed.GetValue(network),
            parsed.GetValue(port),
            parsed.GetValue(size),
            parsed.GetValue(perSecond),
            TimeSpan.FromMilliseconds(parsed.GetValue(milliseconds))));
    }

    // Over a device that cuts and joins, the sender is slower than the receiver of joined datagrams: there, whole messages.
    private static int AtOnce(UdpNetwork network, int size, int perSecond) => perSecond > 0 ? 1
        : network == UdpNetwork.Loopback ? BatchSize
        : Math.Clamp(NumaDatagramBatch.MaxPayload / size, 1, NumaDatagramBatch.MaxSegments);

    private static LoadReport Run(UdpNetwork network, int port, int size, int perSecond, TimeSpan length)
    {
        using var factory = new NumaUdpSocketFactory(NumaPlan.Create(NumaTopology.Instance));
        var shard = factory.Connect(
            new IPEndPoint(UdpNetworks.AddressOf(network), port),
            new NumaUdpOptions { Gso = perSecond == 0, BatchSize = BatchSize }).Shards[0];
        using var batch = shard.CreateBatch();
        var payload = new byte[size];
        for (var i = 0; i < AtOnce(network, size, perSecond) && batch.TryAdd([], payload); i++)
        {
        }

        var sent = 0L;
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) is var elapsed && elapsed < length)
        {
            if (perSecond == 0 || sent <= elapsed.TotalSeconds * perSecond)
            {
                var sending = shard.SendAsync(batch);
                sent += sending.IsCompletedSuccessfully ? sending.Result : sending.AsTask().GetAwaiter().GetResult();
            }
        }

        return UdpReport.Of(sent, Stopwatch.GetElapsedTime(start), latencies: [], lost: 0);
    }
}
