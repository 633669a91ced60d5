using System.Net;
using System.Net.Sockets;

namespace NumaSharp.Udp.Tests;

[Collection(nameof(Alone))]
public sealed class DatagramSocketExtensionsTests
{
    public enum Kind
    {
        IPv4,
        IPv6,
        DualMode,
    }

    public static TheoryData<Kind> Kinds => [Kind.IPv4, Kind.IPv6, Kind.DualMode];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Datagram_SentAndReceived_HasItsBytesAndItsSender(Kind kind)
    {
        using var server = Bind(kind);
        using var client = Bind(kind);
        foreach (var size in (int[])[0, 1, 1200, 65_507])
        {
            var data = Bytes(size);
            Assert.Equal(size, await client.SendToAsync(TargetOf(server, kind), data).Within("the sending"));

            var buffer = new byte[65_527];
            var received = await server.ReceiveFromAsync(buffer).Within("the receiving");
            Assert.Equal(data, buffer.AsSpan(0, received.ReceivedBytes));
            Assert.Equal(SenderOf(client, kind), received.RemoteEndPoint);
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Receive_BeforeTheDatagramIsThere_EndsWithIt(Kind kind)
    {
        using var server = Bind(kind);
        using var client = Bind(kind);
        var buffer = new byte[64];
        for (var i = 0; i < 3; i++)
        {
            var receiving = server.ReceiveFromAsync(buffer);
            Assert.False(receiving.IsCompleted);
            await client.SendToAsync(TargetOf(server, kind), Bytes(7)).Within("the sending");
            var received = await receiving.Within("the receiving");
            Assert.Equal(7, received.ReceivedBytes);
            Assert.Equal(SenderOf(client, kind), received.RemoteEndPoint);
        }
    }

    [Fact]
    public async Task Remote_MetAgain_IsTheSameObject_UnlessItWasChanged()
    {
        using var server = Bind(Kind.IPv4);
        using var client = Bind(Kind.IPv4);
        var first = await PassAsync(client, server);
        Assert.Same(first, await PassAsync(client, server));

        ((IPEndPoint)first).Port = 1;
        var next = await PassAsync(client, server);
        Assert.Equal(client.LocalEndPoint, next);
        Assert.NotSame(first, next);
        Assert.Same(next, await PassAsync(client, server));
    }

    [Fact]
    public async Task Remote_MetByTwoSockets_IsEachOnesOwn()
    {
        using var client = Bind(Kind.IPv4);
        using var one = Bind(Kind.IPv4);
        using var other = Bind(Kind.IPv4);
        var kept = await PassAsync(client, other);
        ((IPEndPoint)await PassAsync(client, one)).Port = 1;
        Assert.Equal(client.LocalEndPoint, kept);
        Assert.Same(kept, await PassAsync(client, other));
    }

    [Fact]
    public void Remote_OfMoreSocketsThanAreRemembered_IsTheSameObjectForEach()
    {
        var cache = EndPointCache.Of(AddressFamily.InterNetwork);
        var remote = new IPEndPoint(IPAddress.Loopback, 53).Serialize();
        var sockets = Enumerable.Range(0, 20_000).Select(static _ => new EndPointCache.Receiver()).ToArray();
        var first = Array.ConvertAll(sockets, socket => cache.Get(socket, remote));
        var again = Array.ConvertAll(sockets, socket => cache.Get(socket, remote));
        Assert.Equal(first, again, ReferenceEqualityComparer.Instance);
        Assert.Equal(sockets.Length, first.Distinct(ReferenceEqualityComparer.Instance).Count());
    }

    [Fact]
    public async Task Target_ChangedAfterASend_GetsTheNextOneWhereItPointsNow()
    {
        using var first = Bind(Kind.IPv4);
        using var second = Bind(Kind.IPv4);
        using var client = Bind(Kind.IPv4);
        var target = new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)first.LocalEndPoint!).Port);
        await client.SendToAsync(target, Bytes(1)).Within("the first sending");
        target.Port = ((IPEndPoint)second.LocalEndPoint!).Port;
        await client.SendToAsync(target, Bytes(2)).Within("the second sending");

        Assert.Equal(1, (await first.ReceiveFromAsync(new byte[8]).Within("the first")).ReceivedBytes);
        Assert.Equal(2, (await second.ReceiveFromAsync(new byte[8]).Within("the second")).ReceivedBytes);
    }

    [Fact]
    public async Task Receive_MoreRemotesThanAreRemembered_TellsThemAllApart()
    {
        using var server = Bind(Kind.IPv4);
        var clients = Enumerable.Range(0, 300).Select(_ => Bind(Kind.IPv4)).ToArray();
        for (var round = 0; round < 3; round++)
        {
            foreach (var client in clients)
            {
                Assert.Equal(client.LocalEndPoint, await PassAsync(client, server));
            }
        }

        Array.ForEach(clients, static client => client.Dispose());
    }

    [Fact]
    public async Task Receive_Cancelled_TakesNoDatagram()
    {
        using var server = Bind(Kind.IPv4);
        using var client = Bind(Kind.IPv4);
        using var cancelling = new CancellationTokenSource();
        var receiving = server.ReceiveFromAsync(new byte[8], cancelling.Token).AsTask();
        await cancelling.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => receiving.Within("the end of the wait"));

        Assert.Equal(client.LocalEndPoint, await PassAsync(client, server));
    }

    [Fact]
    public async Task Receive_SocketIsClosed_Ends()
    {
        var server = Bind(Kind.IPv4);
        var receiving = server.ReceiveFromAsync(new byte[8]).AsTask();
        server.Dispose();
        var exception = await Assert.ThrowsAnyAsync<Exception>(() => receiving.Within("the end of the wait"));
        Assert.True(exception is SocketException or ObjectDisposedException, exception.ToString());
    }

    [Fact]
    public async Task Addresses_UsedAgain_AreThoseOfTheLastDatagram()
    {
        using var server = Bind(Kind.IPv6);
        using var one = Bind(Kind.IPv6);
        using var other = Bind(Kind.IPv6);
        var address = new SocketAddress(AddressFamily.InterNetworkV6);
        var buffer = new byte[8];
        foreach (var client in (Socket[])[one, other, one])
        {
            await client.SendToAsync(server.LocalEndPoint!.Serialize(), Bytes(3)).Within("the sending");
            address.Size = 4;
            Assert.Equal(3, await server.ReceiveFromAsync(buffer, address).Within("the receiving"));
            Assert.Equal(client.LocalEndPoint, client.LocalEndPoint!.Create(address));
        }
    }

    [Fact]
    public async Task Arguments_OfAnotherKind_AreRefused()
    {
        using var unix = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        using var socket = Bind(Kind.IPv4);
        var none = (Socket)null!;
        var target = new IPEndPoint(IPAddress.Loopback, 9);
        var exception = await Assert.ThrowsAsync<ArgumentException>(() => unix.ReceiveFromAsync(new byte[1]).AsTask());
        Assert.StartsWith(
            "The socket's address family is Unix; it must be InterNetwork or InterNetworkV6.",
            exception.Message,
            StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentNullException>(() => none.ReceiveFromAsync(new byte[1]).AsTask());
        await Assert.ThrowsAsync<ArgumentNullException>(() => none.SendToAsync(target, new byte[1]).AsTask());
        await Assert.ThrowsAsync<ArgumentNullException>(() => socket.SendToAsync((EndPoint)null!, new byte[1]).AsTask());
        await Assert.ThrowsAsync<ArgumentNullException>(() => socket.SendToAsync((SocketAddress)null!, new byte[1]).AsTask());
        await Assert.ThrowsAsync<ArgumentNullException>(
            () => socket.ReceiveFromAsync(new byte[1], (SocketAddress)null!).AsTask());
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    [Trait("kind", "allocation")]
    public void SendAndReceive_KnownRemote_AllocateNothing(Kind kind)
    {
        using var server = Bind(kind);
        using var client = Bind(kind);
        var target = TargetOf(server, kind);
        var (data, buffer) = (Bytes(64), new byte[64]);
        Assert.Equal(0, Allocations.OfSteadyState(() =>
        {
            var sending = client.SendToAsync(target, data);

            // The kernel may deliver it after the send has returned: SocketTable.
            server.Poll(Wait.Limit, SelectMode.SelectRead);
            var receiving = server.ReceiveFromAsync(buffer);
            if (!sending.IsCompletedSuccessfully || !receiving.IsCompletedSuccessfully || receiving.Result.ReceivedBytes != 64)
            {
                Assert.Fail("A datagram that is there is received at once.");
            }
        }));
    }

    // Of the whole process: the waits end on threads of the pool.
    [Theory]
    [MemberData(nameof(Kinds))]
    [Trait("kind", "allocation")]
    public async Task Echo_EveryReceiveWaits_AllocatesNothing(Kind kind)
    {
        using var server = Bind(kind);
        using var client = Bind(kind);
        var echoing = EchoAsync(server);
        var target = TargetOf(server, kind);
        var (data, buffer) = (Bytes(64), new byte[64]);
        var allocations = AllocationWindows.OfProcess();
        while (true)
        {
            // The wait for the window allocates, so it begins before the window does.
            var start = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var window = WindowAsync(start.Task).Within("a window of echoes");
            start.SetResult();
            if (!await window)
            {
                break;
            }
        }

        await client.SendToAsync(target, Bytes(1));
        await echoing.Within("the echo's end");
        Assert.Equal(0, allocations.Least);

        async Task<bool> WindowAsync(Task start)
        {
            await start;
            if (!allocations.Begin())
            {
                return false;
            }

            for (var round = 0; round < allocations.Rounds; round++)
            {
                await client.SendToAsync(target, data);
                await client.ReceiveFromAsync(buffer);
            }

            allocations.End();
            return true;
        }
    }

    // Until a datagram of one byte.
    private static async Task EchoAsync(Socket server)
    {
        var buffer = new byte[64];
        while (await server.ReceiveFromAsync(buffer) is { ReceivedBytes: > 1 } received)
        {
            await server.SendToAsync(received.RemoteEndPoint, buffer.AsMemory(0, received.ReceivedBytes));
        }
    }

    private static async Task<EndPoint> PassAsync(Socket client, Socket server)
    {
        await client.SendToAsync(server.LocalEndPoint!, Bytes(1)).Within("the sending");
        return (await server.ReceiveFromAsync(new byte[8]).Within("the receiving")).RemoteEndPoint;
    }

    private static Socket Bind(Kind kind)
    {
        var family = kind == Kind.IPv4 ? AddressFamily.InterNetwork : AddressFamily.InterNetworkV6;
        IPv6.SkipUnlessThere(family);
        var socket = new Socket(family, SocketType.Dgram, ProtocolType.Udp);
        if (kind == Kind.DualMode)
        {
            socket.DualMode = true;
        }

        socket.Bind(new IPEndPoint(
            kind switch { Kind.IPv4 => IPAddress.Loopback, Kind.IPv6 => IPAddress.IPv6Loopback, _ => IPAddress.IPv6Any }, 0));
        return socket;
    }

    // A dual-mode socket is reached over IPv4.
    private static EndPoint TargetOf(Socket socket, Kind kind) =>
        kind == Kind.DualMode
            ? new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)socket.LocalEndPoint!).Port)
            : socket.LocalEndPoint!;

    private static EndPoint SenderOf(Socket socket, Kind kind) =>
        kind == Kind.DualMode
            ? new IPEndPoint(IPAddress.Loopback.MapToIPv6(), ((IPEndPoint)socket.LocalEndPoint!).Port)
            : socket.LocalEndPoint!;

    private static byte[] Bytes(int size)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        return bytes;
    }
}
