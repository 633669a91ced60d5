using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Interop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Interop;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

/// <summary>The local address of a connection that was accepted.</summary>
public sealed class LocalEndPointTests
{
    [Fact]
    public async Task LocalEndPoint_SeveralAddressesInTurn_IsTheOneThatTheClientCalled()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var factory = new EpollTransportFactory(scheduler);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Any, 0));
        var port = ((IPEndPoint)listener.EndPoint).Port;
        foreach (var last in (byte[])[1, 1, 2, 1, 2, 2])
        {
            var called = new IPEndPoint(new IPAddress([127, 0, 0, last]), port);
            using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await client.ConnectAsync(called);
            await using var connection = await AcceptAsync(listener);

            Assert.Equal(called, connection.LocalEndPoint);
            Assert.Equal(client.LocalEndPoint, connection.RemoteEndPoint);
            Assert.NotSame(listener.EndPoint, connection.LocalEndPoint);
        }
    }

    // A client is one of ten thousand, with its own address: only the local one is shared.
    [Fact]
    public async Task LocalEndPoint_SameAddressTwice_IsOneObject()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var factory = new EpollTransportFactory(scheduler);
        await using var listener = await factory.BindAsync(new UnixDomainSocketEndPoint(UnixPath.New()));
        using var first = await ConnectAsync(listener);
        await using var one = await AcceptAsync(listener);
        using var second = await ConnectAsync(listener);
        await using var two = await AcceptAsync(listener);

        Assert.Same(one.LocalEndPoint, two.LocalEndPoint);
        Assert.Equal(listener.EndPoint.ToString(), one.LocalEndPoint?.ToString());
    }

    // No system call per connection.
    [Fact]
    public async Task LocalEndPoint_BoundToOneAddress_IsTheListeners()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var scheduler = new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst);
        using var factory = new EpollTransportFactory(scheduler);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint);
        await using var connection = await AcceptAsync(listener);

        Assert.Same(listener.EndPoint, connection.LocalEndPoint);
        Assert.Equal(client.RemoteEndPoint, connection.LocalEndPoint);
    }

    [Theory]
    [InlineData("127.0.0.1", true)]
    [InlineData("::1", true)]
    [InlineData("::ffff:127.0.0.1", true)]
    [InlineData("0.0.0.0", false)]
    [InlineData("::", false)]
    [InlineData("::ffff:0.0.0.0", false)]
    public void Single_BoundTo_IsKnownUnlessItIsAWildcard(string address, bool isKnown)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        Assert.True(StreamSocket.Create(AddressFamily.InterNetwork, out var socket).Succeeded);
        using (socket)
        {
            var bound = new IPEndPoint(IPAddress.Parse(address), 80);

            Assert.Same(isKnown ? bound : null, new LocalEndPoints(socket!, bound).Single);
        }
    }

    // As a transparent proxy's: the local address of a connection is the one that the client wanted.
    [Theory]
    [InlineData(AddressFamily.InterNetwork)]
    [InlineData(AddressFamily.InterNetworkV6)]
    public void Single_TransparentSocket_IsNotKnown(AddressFamily family)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var created = StreamSocket.Create(family, out var socket);
        Assert.SkipWhen(created.Errno == Errno.EAFNOSUPPORT, "This system has no IPv6.");
        using (socket)
        {
            var result = socket!.SetOption(StreamCalls.IPPROTO_IP, StreamCalls.IP_TRANSPARENT, 1);
            Assert.SkipWhen(result.Errno == Errno.EPERM, "IP_TRANSPARENT needs CAP_NET_ADMIN or CAP_NET_RAW.");
            Assert.True(result.Succeeded, result.ErrorName);

            Assert.Null(new LocalEndPoints(socket!, new IPEndPoint(IPAddress.Loopback, 80)).Single);
        }
    }

    private static async Task<Socket> ConnectAsync(IConnectionListener listener)
    {
        var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(listener.EndPoint);
        return client;
    }

    private static async Task<ConnectionContext> AcceptAsync(IConnectionListener listener) =>
        (await listener.AcceptAsync().Within("the connection is accepted"))!;
}
