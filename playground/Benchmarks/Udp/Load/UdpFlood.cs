using System.Diagnostics;
using System.Net;
using NumaSharp.Core;
using NumaSharp.Playground.Benchmarks.Http.Load;
using NumaSharp.Udp;

namespace NumaSharp.Playground.Benchmarks.Udp.Load;

/// <summary>A sender: as fast as it can, in messages that the kernel cuts, or one by one at an even rate.</summary>
internal static class UdpFlood
{
    private const int BatchSize = 32;

    public static LoadReport Run(UdpNetwork network, IPEndPoint target, int size, int perSecond, TimeSpan length)
    {
        using var factory = new NumaUdpSocketFactory(NumaPlan.Create(NumaTopology.Instance));
        var shard = factory.Connect(target, new NumaUdpOptions { Gso = perSecond == 0, BatchSize = BatchSize }).Shards[0];
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

    // Over a device that cuts and joins, the sender is slower than the receiver of joined datagrams: there, whole messages.
    private static int AtOnce(UdpNetwork network, int size, int perSecond) => perSecond > 0 ? 1
        : network == UdpNetwork.Loopback ? BatchSize
        : Math.Clamp(NumaDatagramBatch.MaxPayload / size, 1, NumaDatagramBatch.MaxSegments);
}
