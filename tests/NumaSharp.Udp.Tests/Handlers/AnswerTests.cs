using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests.Handlers;

public sealed class AnswerTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public static TheoryData<string, bool> Servers => new()
    {
        { "127.0.0.1", true },
        { "127.0.0.1", false },
        { "::1", true },
        { "::1", false },
    };

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(Servers))]
    public void Echo_DatagramsOfEverySize_ComeBack(string address, bool isOffloaded)
    {
        IPv6.SkipUnlessThere(IPAddress.Parse(address).AddressFamily);
        if (isOffloaded)
        {
            UdpOffload.SkipUnlessThere();
        }

        var server = _machine.Bind(
            new EchoHandler(),
            options => (options.Gso, options.Gro) = (isOffloaded, isOffloaded),
            new IPEndPoint(IPAddress.Parse(address), 0));
        Assert.Equal((isOffloaded, isOffloaded), (server.UsesGso, server.UsesGro));
        using var client = UdpMachine.ClientOf(server);
        var buffer = new byte[65_535];
        foreach (var size in (int[])[0, 1, 2, 511, 512, 1200, 1472, 1473, 9000, 65_507])
        {
            var sent = UdpMachine.Bytes(size);
            client.Send(sent);
            Assert.Equal(sent, buffer[..client.Receive(buffer)]);
        }

        AssertSent(server, 10);
        UdpMachine.Until(server, static sum => sum.SentBytes == sum.ReceivedBytes);
        var statistics = UdpMachine.SumOf(server);
        Assert.Equal((10, 10, 0), (statistics.ReceivedDatagrams, statistics.SentDatagrams, statistics.BuffersDropped));
        Assert.Empty(_machine.SocketFallbacks);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Echo_WhatTheKernelHasJoined_ComesBackOneByOne(bool isCutByKernel)
    {
        var server = _machine.Bind(new EchoHandler(), options =>
        {
            options.Shards = 1;
            options.Gso = isCutByKernel;
        });
        using var sender = _machine.Factory.Connect(server.LocalEndPoint).AsDisposable();
        using var batch = _machine.NewBatch();
        var payload = UdpMachine.Bytes((40 * 100) + 17);
        Assert.True(batch.TryAddSegments([], payload, segmentSize: 100));
        Assert.Equal(41, batch.Count);
        var shard = Assert.Single(sender.Socket.Shards);
        Assert.Equal(41, await shard.SendAsync(batch));

        var received = new List<byte[]>();
        using var answers = shard.CreateBatch();
        while (received.Count < 41)
        {
            await shard.ReceiveAsync(answers).Within();
            foreach (var datagram in answers)
            {
                received.Add(datagram.Payload.ToArray());
            }
        }

        Assert.Equal(payload.Chunk(100), received);
        AssertSent(server, 41);
    }

    [Fact]
    public void Reply_ManyOfOneLength_AreTakenAsOneAndComeOneByOne()
    {
        const int answers = 200;
        var server = _machine.Bind(new LambdaHandler(static (in DatagramBatch batch) =>
        {
            foreach (var datagram in batch)
            {
                for (var i = 0; i < answers; i++)
                {
                    Assert.True(batch.Reply(datagram, [(byte)i, datagram.Payload[0], 7]));
                }

                Assert.True(batch.Reply(datagram, [1, 2]));
            }
        }));
        using var client = UdpMachine.ClientOf(server);
        client.Send([42]);
        var buffer = new byte[16];
        for (var i = 0; i < answers; i++)
        {
            Assert.Equal(3, client.Receive(buffer));
            Assert.Equal(new byte[] { (byte)i, 42, 7 }, buffer[..3]);
        }

        Assert.Equal(2, client.Receive(buffer));
        AssertSent(server, answers + 1);
    }

    [Theory]
    [InlineData("0.0.0.0", "127.0.0.5")]
    [InlineData("::", "127.0.0.5")]
    [InlineData("::", "::1")]
    public void Reply_SocketOfAnyAddress_ComesFromTheOneThatWasAsked(string bound, string asked)
    {
        IPv6.SkipUnlessThere(IPAddress.Parse(bound).AddressFamily);
        IPAddress? destination = null;
        var server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                foreach (var datagram in batch)
                {
                    destination = datagram.GetDestination();
                    batch.Reply(datagram, datagram.Payload);
                }
            }),
            endPoint: new IPEndPoint(IPAddress.Parse(bound), 0));

        // Connected: it takes answers from this address alone.
        using var client = UdpMachine.ClientOf(server, IPAddress.Parse(asked));
        client.Send([1, 2, 3]);
        Assert.Equal(3, client.Receive(new byte[8]));
        Assert.Equal(IPAddress.Parse(asked), destination!.IsIPv4MappedToIPv6 ? destination.MapToIPv4() : destination);
    }

    // Longer than IPv4 has them. A handler that answers them must not fail, with all of its batch.
    [Fact]
    public async Task Reply_LongestOfIPv6_ComesBack()
    {
        IPv6.SkipUnlessThere();
        var server = _machine.Bind(
            new LambdaHandler(static (in DatagramBatch batch) =>
            {
                foreach (var datagram in batch)
                {
                    batch.Reply(datagram, datagram.Payload);
                }
            }),
            endPoint: new IPEndPoint(IPAddress.IPv6Loopback, 0));
        using var client = UdpMachine.ClientOf(server);
        var sent = UdpMachine.Bytes(65_527);
        client.Send(sent);
        var buffer = new byte[65_535];
        Assert.Equal(sent, buffer[..client.Receive(buffer)]);

        using var sender = _machine.Factory.Connect(server.LocalEndPoint).AsDisposable();
        using var batch = _machine.NewBatch();
        Assert.True(batch.TryAdd([], sent));
        Assert.Equal(1, await sender.Socket.Shards[0].SendAsync(batch));
        UdpMachine.Until(server, static sum => sum is { ReceivedDatagrams: 2, HandlerFailures: 0 });
    }

    [Fact]
    public async Task SendAsync_OfWhatWasReceived_LeavesItsDestination()
    {
        var server = _machine.Bind(static options => options.Shards = 1, new IPEndPoint(IPAddress.Any, 0));
        using var client = UdpMachine.ClientOf(server, IPAddress.Parse("127.0.0.5"));
        using var batch = server.Shards[0].CreateBatch();
        client.Send([1]);
        Assert.Equal(1, await server.Shards[0].ReceiveAsync(batch).Within());
        Assert.Equal(1, await server.Shards[0].SendAsync(batch));
        Assert.Equal(IPAddress.Parse("127.0.0.5"), DestinationOf(batch));
    }

    [Theory]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public void Reply_ToABroadcast_ComesFromAnAddressOfTheMachine(string bound)
    {
        IPv6.SkipUnlessThere(IPAddress.Parse(bound).AddressFamily);
        var server = _machine.Bind(
            new EchoHandler(), static options => options.Shards = 1, new IPEndPoint(IPAddress.Parse(bound), 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            EnableBroadcast = true,
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
        };
        client.Bind(UdpMachine.Loopback);
        client.SendTo([1, 2], new IPEndPoint(IPAddress.Parse("127.255.255.255"), server.LocalEndPoint.Port));
        EndPoint from = new IPEndPoint(IPAddress.Any, 0);
        Assert.Equal(2, client.ReceiveFrom(new byte[8], ref from));
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, server.LocalEndPoint.Port), from);
        Assert.Empty(_machine.SocketFallbacks);
    }

    [Fact]
    public void Send_ToAnotherAddress_GetsThere()
    {
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds,
        };
        other.Bind(UdpMachine.Loopback);
        var target = other.LocalEndPoint!.Serialize().Buffer.ToArray()[..16];
        var server = _machine.Bind(new LambdaHandler((in DatagramBatch batch) =>
        {
            foreach (var datagram in batch)
            {
                batch.Send(target, datagram.Payload);
            }
        }));
        using var client = UdpMachine.ClientOf(server);
        client.Send([9]);
        EndPoint from = new IPEndPoint(IPAddress.Any, 0);
        Assert.Equal(1, other.ReceiveFrom(new byte[8], ref from));
        Assert.Equal(server.LocalEndPoint, from);
    }

    [Fact]
    public void Datagram_WithEveryOption_TellsThem()
    {
        (byte? Class, long? Time, IPEndPoint From) seen = default;
        var (start, before) = (Stopwatch.GetTimestamp(), DateTimeOffset.UtcNow.ToUnixTimeMilliseconds());
        var server = _machine.Bind(
            new LambdaHandler((in DatagramBatch batch) =>
            {
                foreach (var datagram in batch)
                {
                    seen = (datagram.TrafficClass, datagram.TimestampNanoseconds, datagram.GetRemoteEndPoint());
                    batch.Echo(datagram);
                }
            }),
            static options =>
            {
                (options.ReceiveTrafficClass, options.Timestamps, options.PacketInfo) = (true, true, true);
                (options.TrafficClass, options.TimeToLive, options.Broadcast, options.DontFragment) = (0x2e, 7, true, true);
                (options.ReceiveBufferSize, options.SendBufferSize) = (100_000, 50_000);
            });
        using var client = UdpMachine.ClientOf(server);
        client.SetRawSocketOption(0, 1, [0xb9, 0, 0, 0]);
        client.Send([1]);
        client.Receive(new byte[8]);
        var after = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
        var passed = (long)Stopwatch.GetElapsedTime(start).TotalMilliseconds;

        // The kernel keeps the ECN bits of UDP for programs that set them.
        Assert.Equal(0xb8, seen.Class!.Value & 0xfc);
        Assert.Equal(client.LocalEndPoint, seen.From);
        // The clock may be set meanwhile: then it is so long after the one time, or so long before the other.
        var time = seen.Time!.Value / 1_000_000;
        Assert.True(
            IsWithin(passed, time - before) || IsWithin(passed, after - time), $"{before}, {time}, {after} in {passed} ms");
        Assert.Equal((100_000, 50_000), (server.ReceiveBufferSize, server.SendBufferSize));
        Assert.Empty(_machine.SocketFallbacks);
    }

    [Fact]
    public void Datagram_NotRequested_ReturnsNothing()
    {
        (byte? Class, long? Time, IPAddress? To) seen = (1, 1, IPAddress.Any);
        var server = _machine.Bind(new LambdaHandler((in DatagramBatch batch) =>
        {
            foreach (var datagram in batch)
            {
                seen = (datagram.TrafficClass, datagram.TimestampNanoseconds, datagram.GetDestination());
                batch.Echo(datagram);
            }
        }));
        using var client = UdpMachine.ClientOf(server);
        client.Send([1]);
        client.Receive(new byte[8]);
        Assert.Equal((null, null, null), seen);
    }

    // With a second to spare: the kernel's clock has ticks.
    private static bool IsWithin(long limit, long milliseconds) => milliseconds >= -1000 && milliseconds <= limit + 1000;

    private static IPAddress? DestinationOf(NumaDatagramBatch batch)
    {
        foreach (var datagram in batch)
        {
            return datagram.GetDestination();
        }

        return null;
    }

    // The answer may be here before the server has counted it.
    private static void AssertSent(NumaUdpSocket server, int count) =>
        UdpMachine.Until(server, sum => sum.SentDatagrams == count);
}
