using System.Net;
using System.Net.Sockets;
using NumaSharp.Core;
using NumaSharp.Sockets;

namespace NumaSharp.Udp.Tests.Sharding;

public sealed class ShardTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Bind_ByDefault_HasAShardPerLoopOnItsNode()
    {
        var server = _machine.Bind(new EchoHandler());
        Assert.Equal(_machine.Plan.LoopCount, server.Shards.Length);
        Assert.Equal(Enumerable.Range(0, _machine.Plan.LoopCount), server.Shards.Select(static shard => shard.Index));
        Assert.Equal(Enumerable.Range(0, _machine.Plan.LoopCount), server.Shards.Select(static shard => shard.LoopIndex));
        Assert.All(server.Shards, shard => Assert.NotNull(_machine.Plan.FindNode(shard.NodeId)));
        Assert.All(server.Shards, shard =>
        {
            using var batch = shard.CreateBatch();
            Assert.Equal((shard.NodeId, 32), (batch.NodeId, batch.Capacity));
        });
    }

    [Fact]
    public async Task GetStatistics_OfTheFactory_KeepsWhatClosedSocketsHaveDone()
    {
        Assert.Empty(_machine.Factory.GetStatistics());
        for (var round = 1; round <= 2; round++)
        {
            await using (var server = _machine.Bind(new EchoHandler(), static options => options.Shards = 1))
            {
                using var client = UdpMachine.ClientOf(server);
                client.Send([1, 2, 3]);
                Assert.Equal(3, client.Receive(new byte[4]));
                Assert.All(_machine.Factory.GetStatistics(), static loop => Assert.True(loop.IsServing));
            }

            var all = _machine.Factory.GetStatistics().Aggregate(static (one, other) => one.Plus(other));
            Assert.Equal((round, round, 3 * round), (all.ReceivedDatagrams, all.SentDatagrams, all.SentBytes));
        }
    }

    [Fact]
    public void Steering_ByCpu_EachCpusDatagramsComeToItsShard()
    {
        Assert.SkipWhen(_machine.Plan.Cpus.Count < 2, "One CPU has one shard.");
        var server = _machine.Bind(new EchoHandler());
        foreach (var cpu in _machine.Plan.Cpus)
        {
            var before = server.GetStatistics();
            TestThreads.RunOn(CpuSet.FromIds(cpu), () =>
            {
                // The kernel receives what loopback sends on the CPU of the sender.
                for (var i = 0; i < 50; i++)
                {
                    using var client = UdpMachine.ClientOf(server);
                    client.Send([1]);
                    Assert.Equal(1, client.Receive(new byte[4]));
                }
            });
            var expected = new SteeringTable(_machine.Plan).LoopOf(cpu);
            var received = server.GetStatistics()
                .Zip(before, static (now, then) => now.ReceivedDatagrams - then.ReceivedDatagrams);
            Assert.Equal(server.Shards.Select(shard => shard.Index == expected ? 50L : 0L), received);
        }
    }

    [Fact]
    public void Steering_ByKernel_APeersDatagramsComeToOneShard()
    {
        var server = _machine.Bind(new EchoHandler(), static options => options.Steering = NumaUdpSteering.Kernel);
        using var client = UdpMachine.ClientOf(server);
        foreach (var cpu in _machine.Plan.Cpus)
        {
            TestThreads.RunOn(CpuSet.FromIds(cpu), () =>
            {
                for (var i = 0; i < 20; i++)
                {
                    client.Send([1]);
                    Assert.Equal(1, client.Receive(new byte[4]));
                }
            });
        }

        Assert.Single(server.GetStatistics(), static statistics => statistics.ReceivedDatagrams > 0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(8)]
    public void Bind_AsManyShardsAsAsked_AllServe(int shards)
    {
        var server = _machine.Bind(
            new EchoHandler(), options => (options.Shards, options.Steering) = (shards, NumaUdpSteering.Kernel));
        Assert.Equal(shards, server.Shards.Length);
        for (var i = 0; i < 400; i++)
        {
            using var client = UdpMachine.ClientOf(server);
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        Assert.All(server.GetStatistics(), static statistics => Assert.True(statistics.ReceivedDatagrams > 0));
    }

    [Fact]
    public void HandlerPerShard_EachHasItsOwn()
    {
        var made = new List<NumaUdpShard>();
        var server = _machine.Factory.Bind(UdpMachine.Loopback, shard =>
        {
            made.Add(shard);
            return new EchoHandler();
        });
        Assert.Equal(server.Shards, made);
    }

    [Fact]
    public void Loops_WithoutSockets_AreGone()
    {
        using (_machine.Bind(new EchoHandler()).AsDisposable())
        using (_machine.Bind(new EchoHandler()).AsDisposable())
        {
            Assert.Equal(2, _machine.Factory.Sockets.Count);
        }

        Assert.Empty(_machine.Factory.Sockets);
        using (var again = _machine.Bind(new EchoHandler()).AsDisposable())
        using (var client = UdpMachine.ClientOf(again.Socket))
        {
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        _machine.Factory.Dispose();
        Assert.Throws<ObjectDisposedException>(() => _machine.Bind());
    }

    [Fact]
    public void Apply_TheSamePlan_Continues()
    {
        var server = _machine.Bind(new EchoHandler());
        _machine.Factory.Apply(_machine.Plan);
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        Assert.Equal(1, client.Receive(new byte[4]));
        Assert.Throws<ArgumentException>(
            () => _machine.Factory.Apply(NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { LoopsPerNode = 1 })));
    }

    [Theory]
    [InlineData("239.1.2.3", "127.0.0.1")]
    [InlineData("ff11::1234%1", "::1")]
    public void Group_Joined_GetsOneCopyOfWhatIsSentThere(string group, string local)
    {
        const int loopbackInterface = 1;
        var address = IPAddress.Parse(group);
        IPv6.SkipUnlessThere(address.AddressFamily);
        var any = address.AddressFamily == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any;
        var server = _machine.Bind(LambdaHandler.Ignoring, endPoint: new IPEndPoint(any, 0));
        server.JoinGroup(address, loopbackInterface);
        using var sender = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        sender.Bind(new IPEndPoint(IPAddress.Parse(local), 0));
        var level = any == IPAddress.Any ? SocketOptionLevel.IP : SocketOptionLevel.IPv6;
        sender.SetSocketOption(
            level, SocketOptionName.MulticastInterface,
            level == SocketOptionLevel.IP ? IPAddress.HostToNetworkOrder(loopbackInterface) : loopbackInterface);
        var target = new IPEndPoint(address, server.LocalEndPoint.Port);
        for (var i = 0; i < 10; i++)
        {
            try
            {
                sender.SendTo([1], target);
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.NetworkUnreachable)
            {
                Assert.Skip($"The loopback interface of this machine has no groups of {any.AddressFamily}.");
            }
        }

        UdpMachine.Until(server, sum => sum.ReceivedDatagrams == 10);
        server.LeaveGroup(address, loopbackInterface);
        sender.SendTo([1], target);
        sender.SendTo([1], new IPEndPoint(IPAddress.Parse(local), target.Port));
        UdpMachine.Until(server, sum => sum.ReceivedDatagrams >= 11);
        Assert.Equal(11, UdpMachine.SumOf(server).ReceivedDatagrams);
        Assert.Throws<ArgumentException>(() => server.JoinGroup(IPAddress.Parse(local)));
        Assert.Throws<SocketException>(() => server.LeaveGroup(address, loopbackInterface));
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public async Task Broadcast_SeveralShards_IsHandledOnce(string bound)
    {
        IPv6.SkipUnlessThere(IPAddress.Parse(bound).AddressFamily);
        var server = _machine.Bind(
            LambdaHandler.Ignoring, static options => options.Shards = 3, new IPEndPoint(IPAddress.Parse(bound), 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { EnableBroadcast = true };
        client.Bind(UdpMachine.Loopback);
        for (var i = 0; i < 10; i++)
        {
            client.SendTo([1], new IPEndPoint(IPAddress.Parse("127.255.255.255"), server.LocalEndPoint.Port));
        }

        UdpMachine.Until(server, static sum => sum.ReceivedDatagrams >= 10);
        await server.StopAsync().Within();
        var sum = UdpMachine.SumOf(server);
        Assert.Equal((10, 10), (sum.ReceivedDatagrams, sum.ReceivedBytes));
    }

    // Coalescing begins and ends several times here. No datagram waits for a second one, which does not come.
    [Fact]
    public void Coalescing_OneAfterTheOther_EachIsServedByItself()
    {
        const int sent = 100;
        var server = _machine.Bind(
            new EchoHandler(),
            static options => (options.Shards, options.CoalesceDelay) = (1, TimeSpan.FromMilliseconds(1)));
        using var client = UdpMachine.ClientOf(server);
        for (var i = 0; i < sent; i++)
        {
            client.Send([1]);
            Assert.Equal(1, client.Receive(new byte[4]));
        }

        var sum = UdpMachine.SumOf(server);
        Assert.Equal((sent, sent), (sum.ReceivedDatagrams, sum.ReceivedBatches));
    }
}
