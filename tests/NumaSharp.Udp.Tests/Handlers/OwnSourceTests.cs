using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using NumaSharp.Interop;
using NumaSharp.Udp.Interop;

namespace NumaSharp.Udp.Tests.Handlers;

/// <summary>
/// Datagrams whose source is the socket's own address and port. Here the socket sends them itself; an attacker forges them.
/// </summary>
public sealed class OwnSourceTests : IDisposable
{
    private readonly UdpMachine _machine = new();

    public static TheoryData<string, string> Bound => new()
    {
        { "127.0.0.1", "127.0.0.1" },
        { "127.0.0.5", "127.0.0.5" },
        { "0.0.0.0", "127.0.0.1" },
        { "0.0.0.0", "127.0.0.5" },
        { "::1", "::1" },
        { "::", "::1" },
        { "::", "127.0.0.1" },
    };

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(Bound))]
    public async Task Echo_OfTheSocketsOwn_IsDroppedAndCounted(string bound, string to)
    {
        var server = Bind(bound, new EchoHandler());
        await SendToItselfAsync(server, to);
        UdpMachine.Until(server, static sum => sum.OwnSourceDropped == 1);
        using var client = UdpMachine.ClientOf(server, IPAddress.Parse(to));
        client.Send([1, 2]);
        Assert.Equal(2, client.Receive(new byte[4]));
        UdpMachine.Until(server, static sum => sum.SentDatagrams == 2);
        var sum = UdpMachine.SumOf(server);
        Assert.Equal((1, 2, 1), (sum.ReceivedDatagrams, sum.ReceivedBytes, sum.OwnSourceDropped));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(null, true)]
    public async Task Echo_OfTheSocketsOwn_AnswersItselfWhereThatIsWanted(bool? drops, bool isShared)
    {
        var handled = 0;
        var server = Bind("127.0.0.1", new LambdaHandler((in DatagramBatch batch) =>
        {
            foreach (var datagram in batch)
            {
                if (++handled < 100)
                {
                    batch.Echo(datagram);
                }
            }
        }), options => (options.DropOwnSource, options.SharePort) = (drops, isShared));
        await SendToItselfAsync(server, "127.0.0.1");
        UdpMachine.Until(server, static sum => sum.ReceivedDatagrams == 100);
        Assert.Equal(0, UdpMachine.SumOf(server).OwnSourceDropped);
    }

    [Fact]
    public async Task Broadcast_OfTheSocketsOwn_ComesBack()
    {
        var server = Bind("0.0.0.0", LambdaHandler.Ignoring, static options => options.Broadcast = true);
        await SendToItselfAsync(server, "127.255.255.255");
        UdpMachine.Until(server, static sum => sum.ReceivedDatagrams == 1);
        Assert.Equal(0, UdpMachine.SumOf(server).OwnSourceDropped);
    }

    [Fact]
    public async Task ReceiveAsync_OwnAmongOthers_LeavesTheOthersInTheirOrder()
    {
        var server = _machine.Bind(static options => options.Shards = 1);
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 1);
        using var client = UdpMachine.ClientOf(server);
        using var batch = server.Shards[0].CreateBatch();
        for (var round = 0; round < 3; round++)
        {
            for (byte i = 1; i <= 4; i++)
            {
                await SendToItselfAsync(server, "127.0.0.1");
                client.Send([i]);
                queue.WaitFor(2 * i);
            }

            Assert.Equal(4, await server.Shards[0].ReceiveAsync(batch).Within());
            Assert.Equal([1, 2, 3, 4], PayloadsOf(batch));
            Assert.Equal(4, await server.Shards[0].SendAsync(batch));
            for (var i = 1; i <= 4; i++)
            {
                var buffer = new byte[4];
                Assert.Equal((1, i), (client.Receive(buffer), buffer[0]));
            }
        }

        Assert.Equal((12, 12), (UdpMachine.SumOf(server).ReceivedDatagrams, UdpMachine.SumOf(server).OwnSourceDropped));
    }

    [Fact]
    public async Task TryAdd_AfterOwnWereDropped_LeavesWhatWasReceived()
    {
        var server = Bind("0.0.0.0");
        using var client = UdpMachine.ClientOf(server, IPAddress.Loopback);
        using var batch = await ReceiveAsync(server, client, ownCount: 1, [1]);
        Assert.True(batch.TryAdd(KernelsOf(client.LocalEndPoint!), [2]));
        Assert.Equal([1, 2], PayloadsOf(batch));

        // The own one came to 127.0.0.5. What is added does not come from there.
        Assert.Equal(2, await server.Shards[0].SendAsync(batch));
        for (var i = 1; i <= 2; i++)
        {
            var buffer = new byte[4];
            Assert.Equal((1, i), (client.Receive(buffer), buffer[0]));
        }
    }

    [Fact]
    public async Task TryAdd_AfterOwnWereDropped_LeavesEachMessageASlot()
    {
        var server = Bind("0.0.0.0");
        using var client = UdpMachine.ClientOf(server, IPAddress.Loopback);
        using var batch = await ReceiveAsync(server, client, ownCount: 2, [1, 2]);
        Assert.True(batch.TryAdd(KernelsOf(client.LocalEndPoint!), [3]));
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 1);
        for (byte i = 1; i <= 4; i++)
        {
            client.Send([i]);
            queue.WaitFor(i);
        }

        Assert.Equal(4, await server.Shards[0].ReceiveAsync(batch).Within());
        Assert.Equal([1, 2, 3, 4], PayloadsOf(batch));
    }

    [Fact]
    public async Task ReceiveAsync_NothingButOwn_WaitsForAnother()
    {
        var server = _machine.Bind(static options => options.Shards = 1);
        using var client = UdpMachine.ClientOf(server);
        using var batch = server.Shards[0].CreateBatch();
        for (var i = 0; i < 20; i++)
        {
            await SendToItselfAsync(server, "127.0.0.1");
        }

        var receiving = server.Shards[0].ReceiveAsync(batch).AsTask();
        UdpMachine.Until(server, static sum => sum.OwnSourceDropped == 20);
        Assert.False(receiving.IsCompleted);
        client.Send([5]);
        Assert.Equal(1, await receiving.Within());
        Assert.Equal([5], PayloadsOf(batch));
    }

    [Fact]
    public void HasSource_AddressesChange_AreReadAgainWhenRequested()
    {
        OwnAddress[] current = [OwnAddress.Of(IPAddress.Parse("192.0.2.1"))];
        var own = new OwnAddresses(new IPEndPoint(IPAddress.Any, 53), () => (default, [.. current]));
        Assert.True(own.Refresh().Succeeded);
        Assert.True(Has("192.0.2.1", 53));
        Assert.False(Has("192.0.2.1", 54));
        current = [OwnAddress.Of(IPAddress.Parse("192.0.2.2"))];
        Assert.False(Has("192.0.2.2", 53));
        Assert.True(own.RefreshIfAsked() is { Succeeded: true });
        Assert.True(own.RefreshIfAsked() is null);
        Assert.True(Has("192.0.2.2", 53));
        Assert.False(Has("192.0.2.1", 53));
        Assert.True(Has("127.3.2.1", 53));

        bool Has(string address, int port) => own.HasSource(KernelsOf(address, port));
    }

    [Fact]
    public void Refresh_Fails_LeavesWhatWasRead()
    {
        var result = default(SysResult);
        var own = new OwnAddresses(
            new IPEndPoint(IPAddress.IPv6Any, 53),
            () => (result, result.Succeeded ? [OwnAddress.Of(IPAddress.Parse("2001:db8::1"))] : []));
        Assert.True(own.Refresh().Succeeded);
        result = SysResult.FromErrno(Errno.EPERM);
        Assert.False(own.Refresh().Succeeded);
        Assert.True(own.HasSource(KernelsOf("2001:db8::1", 53)));
    }

    [Fact]
    public void HasSource_LinkLocalAddressOfAnotherInterface_IsAnother()
    {
        var own = new OwnAddresses(
            new IPEndPoint(IPAddress.IPv6Any, 53), static () => (default, [OwnAddress.Of(IPAddress.Parse("fe80::1%2"))]));
        Assert.True(own.Refresh().Succeeded);
        Assert.True(own.HasSource(KernelsOf("fe80::1%2", 53)));
        Assert.False(own.HasSource(KernelsOf("fe80::1%3", 53)));
    }

    [Fact]
    public void Read_AddressesOfInterfaces_AreThoseThatTheRuntimeHas()
    {
        HashSet<OwnAddress> expected = [], addresses = [];

        // Interfaces come and go, those of other tests, too: it counts only if there were the same ones before and after.
        Wait.Until(() =>
        {
            expected = AddressesOfTheRuntime();
            (var result, addresses) = InterfaceAddresses.Read();
            Assert.True(result.Succeeded);
            return expected.SetEquals(AddressesOfTheRuntime());
        });
        Assert.Superset(expected, addresses);
    }

    private static HashSet<OwnAddress> AddressesOfTheRuntime() =>
    [
        .. NetworkInterface.GetAllNetworkInterfaces()
            .SelectMany(static one => one.GetIPProperties().UnicastAddresses)
            .Select(static one => OwnAddress.Of(one.Address)),
    ];

    private static byte[] KernelsOf(string address, int port) => KernelsOf(new IPEndPoint(IPAddress.Parse(address), port));

    private static byte[] KernelsOf(EndPoint endPoint)
    {
        var address = endPoint.Serialize();
        return address.Buffer[..address.Size].ToArray();
    }

    private static byte[] PayloadsOf(NumaDatagramBatch batch)
    {
        var payloads = new List<byte>();
        foreach (var datagram in batch)
        {
            payloads.AddRange(datagram.Payload);
        }

        return [.. payloads];
    }

    private async Task SendToItselfAsync(NumaUdpSocket server, string to)
    {
        var address = IPAddress.Parse(to);
        using var batch = _machine.NewBatch();
        var isMapped = server.LocalEndPoint.AddressFamily == AddressFamily.InterNetworkV6;
        var target = KernelsOf((isMapped ? address.MapToIPv6() : address).ToString(), server.LocalEndPoint.Port);
        Assert.True(batch.TryAdd(target, [9]));
        Assert.Equal(1, await server.Shards[0].SendAsync(batch));
    }

    private NumaUdpSocket Bind(string address) =>
        _machine.Bind(static options => options.Shards = 1, new IPEndPoint(IPAddress.Parse(address), 0));

    // Own datagrams, to 127.0.0.5, and then others, with one call.
    private async Task<NumaDatagramBatch> ReceiveAsync(NumaUdpSocket server, Socket client, int ownCount, byte[] others)
    {
        var queue = new ReceiveQueue(server.LocalEndPoint, size: 1);
        for (var i = 1; i <= ownCount; i++)
        {
            await SendToItselfAsync(server, "127.0.0.5");
            queue.WaitFor(i);
        }

        for (var i = 1; i <= others.Length; i++)
        {
            client.Send([others[i - 1]]);
            queue.WaitFor(ownCount + i);
        }

        var batch = server.Shards[0].CreateBatch();
        Assert.Equal(others.Length, await server.Shards[0].ReceiveAsync(batch).Within());
        Assert.Equal(ownCount, UdpMachine.SumOf(server).OwnSourceDropped);
        return batch;
    }

    private NumaUdpSocket Bind(string address, IDatagramHandler handler, Action<NumaUdpOptions>? configure = null)
    {
        var local = IPAddress.Parse(address);
        IPv6.SkipUnlessThere(local.AddressFamily);
        return _machine.Bind(
            handler,
            options =>
            {
                options.Shards = 1;
                configure?.Invoke(options);
            },
            new IPEndPoint(local, 0));
    }
}
