using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.GuestTests.Support;
using NumaSharp.Udp;

namespace NumaSharp.GuestTests.Udp;

/// <summary>A datagram is handled on the node of the CPU that received it, in memory of that node.</summary>
public sealed class DatagramPlacementTests : ThreeNodeTests, IDisposable
{
    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    private readonly NumaUdpSocketFactory _factory = new(NumaPlan.Create(NumaTopology.Instance));

    public void Dispose() => _factory.Dispose();

    [Fact]
    public async Task OnBatch_DatagramReceivedOnACpu_IsOnTheNodeOfThatCpu()
    {
        var handler = new SeeingEcho();
        await using var server = _factory.Bind(s_anyPort, handler);
        Assert.Equal(TheMachine.AllCpus.Count, server.Shards.Length);
        for (var round = 0; round < 3; round++)
        {
            foreach (var cpu in TheMachine.AllCpus)
            {
                // Loopback receives where it is sent.
                TestThreads.RunOn(CpuSet.FromIds(cpu), () => Exchange(server.LocalEndPoint));
                Assert.True(handler.Seen.TryDequeue(out var seen));
                var node = TheMachine.NodeOfCpu(cpu);
                Assert.Equal(new SeenDatagram(node, node, node), seen);
            }
        }

        Assert.Empty(handler.Seen);
        Assert.All(server.GetStatistics(), static shard => Assert.Equal(3, shard.ReceivedDatagrams));
    }

    [Fact]
    public async Task ReceiveAsync_OnEachShard_GetsMemoryOfItsNode()
    {
        await using var server = _factory.Bind(s_anyPort);
        foreach (var shard in server.Shards)
        {
            using var batch = shard.CreateBatch();
            Assert.Equal(shard.NodeId, batch.NodeId);
            var receiving = shard.ReceiveAsync(batch).AsTask();

            // Some CPU of its node is the one that this shard has.
            foreach (var cpu in TheMachine.CpusOf(shard.NodeId.Value))
            {
                TestThreads.RunOn(CpuSet.FromIds(cpu), () => Send(server.LocalEndPoint));
            }

            Assert.InRange(await receiving.Within(), 1, 3);
            Assert.Equal(shard.NodeId.Value, NodeOfTheFirst(batch));
        }
    }

    [Fact]
    public async Task GetNearestShard_OnEachCpu_IsOneOfItsNode()
    {
        await using var server = _factory.Bind(s_anyPort);
        foreach (var cpu in TheMachine.AllCpus)
        {
            Assert.Equal(
                TheMachine.NodeOfCpu(cpu), TestThreads.RunOn(CpuSet.FromIds(cpu), () => server.GetNearestShard().NodeId.Value));
        }
    }

    private static void Exchange(IPEndPoint server)
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds;
        client.Connect(server);
        client.Send(new byte[1000]);
        Assert.Equal(1000, client.Receive(new byte[2000]));
    }

    private static void Send(IPEndPoint server)
    {
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        client.SendTo(new byte[1000], server);
    }

    private static int NodeOfTheFirst(NumaDatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            return NodeOf(datagram);
        }

        return -1;
    }

    private static unsafe int NodeOf(in Datagram datagram)
    {
        fixed (byte* payload = datagram.Payload)
        {
            return Pages.NodeOf((nint)payload);
        }
    }

    private sealed record SeenDatagram(int ShardNode, int ThreadNode, int PayloadNode);

    private sealed class SeeingEcho : IDatagramHandler
    {
        public ConcurrentQueue<SeenDatagram> Seen { get; } = [];

        public void OnBatch(in DatagramBatch batch)
        {
            foreach (var datagram in batch)
            {
                NumaPlatform.Default.Affinity.GetCurrent(out _, out var node).ThrowIfFailed("getcpu");
                Seen.Enqueue(new SeenDatagram(batch.Shard.NodeId.Value, node.Value, NodeOf(datagram)));
                batch.Echo(datagram);
            }
        }
    }
}
