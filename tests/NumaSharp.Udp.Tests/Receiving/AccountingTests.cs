using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.Receiving;

public sealed class AccountingTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Flood_HandlerThatWaitsAndSmallBuffer_EveryDatagramIsReceivedOrDropped(int shards)
    {
        const int sent = 5_000;

        // A CPU has room for about a thousand packets that sockets have not got yet (net.core.netdev_max_backlog).
        const int portion = 500;
        using var flooded = new ManualResetEvent(initialState: false);
        var server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) => Wait.For(flooded)),
            options => (options.Shards, options.Gro, options.ReceiveBufferSize) = (shards, false, 10_000));
        using var client = UdpMachine.ClientOf(server);
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 4);
        for (var count = portion; count <= sent; count += portion)
        {
            for (var i = 0; i < portion; i++)
            {
                client.Send([1, 2, 3, 4]);
            }

            Wait.Until(() => ArrivedAt(server, queue) >= count, () => $"{ArrivedAt(server, queue)} have arrived");
        }

        flooded.Set();

        // What loopback has sent has arrived, or was dropped.
        UdpMachine.Until(server, static sum => sum.ReceivedDatagrams + sum.BuffersDropped == sent);
        var total = UdpMachine.SumOf(server);
        Assert.True(total.BuffersDropped > 0, $"{total}");
        Assert.Equal(total.ReceivedDatagrams * 4, total.ReceivedBytes);
    }

    [Fact]
    public async Task Joined_SequenceNumbers_ArriveOnceAndInOrder()
    {
        const int sent = 6_000;
        var seen = new List<int>();
        var server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                foreach (var datagram in batch)
                {
                    Assert.Equal(64, datagram.Length);
                    lock (seen)
                    {
                        seen.Add(BitConverter.ToInt32(datagram.Payload));
                    }
                }
            }),
            static options => (options.Shards, options.ReceiveBufferSize) = (1, 4 << 20));
        using var sender = _machine.Factory.Connect(server.LocalEndPoint).AsDisposable();
        using var batch = _machine.NewBatch();
        var payload = new byte[64];
        for (var i = 0; i < sent; i++)
        {
            BitConverter.TryWriteBytes(payload, i);
            Assert.True(batch.TryAdd([], payload));
            if (batch.Count == 600)
            {
                Assert.Equal(600, await sender.Socket.Shards[0].SendAsync(batch));
                var all = i + 1;
                UdpMachine.Until(server, sum => sum.ReceivedDatagrams == all);
                batch.Clear();
            }
        }

        // The last one is counted before it is handled.
        Wait.Until(() => CountOf(seen) == sent, () => $"{CountOf(seen)}");
        Assert.Equal(Enumerable.Range(0, sent), seen);
    }

    // Received first: what is taken out in between is missing in both, and not in one twice.
    private static long ArrivedAt(NumaUdpSocket server, ReceiveQueue queue) =>
        UdpMachine.SumOf(server).ReceivedDatagrams + queue.Count + SocketTable.DatagramsDropped(server.LocalEndPoint);

    private static int CountOf(List<int> seen)
    {
        lock (seen)
        {
            return seen.Count;
        }
    }
}
