using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Scheduling;
using NumaSharp.Sockets;
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

    // A client is one of ten thousand, with its own address: only the local one is shared, by the connections of one listening
    // socket; each loop has its own.
    [Theory]
    [InlineData("unix")]
    [InlineData("0.0.0.0")]
    [InlineData("127.0.0.1")]
    public async Task LocalEndPoint_SameAddressTwice_IsOneObjectOfItsOwn(string where)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var plan = NumaPlan.Create(NumaTopology.Instance, new NumaPlanRequest { Enabled = false, LoopsPerNode = 1 });
        using var scheduler = new NumaTaskScheduler(new NumaTaskSchedulerOptions { Plan = plan });
        using var factory = new EpollTransportFactory(scheduler);
        await using var listener = await factory.BindAsync(
            where == "unix" ? new UnixDomainSocketEndPoint(UnixPath.New()) : new IPEndPoint(IPAddress.Parse(where), 0));
        using var first = await ConnectAsync(listener);
        await using var one = await AcceptAsync(listener);
        using var second = await ConnectAsync(listener);
        await using var two = await AcceptAsync(listener);

        Assert.Same(one.LocalEndPoint, two.LocalEndPoint);
        Assert.Equal(first.RemoteEndPoint!.ToString(), one.LocalEndPoint!.ToString());

        // The application may change it, and the socket is opened again with the listener's.
        Assert.NotSame(listener.EndPoint, one.LocalEndPoint);
    }

    // Known: no system call per connection.
    [Theory]
    [InlineData("127.0.0.1", true)]
    [InlineData("::1", true)]
    [InlineData("::ffff:127.0.0.1", true)]
    [InlineData("0.0.0.0", false)]
    [InlineData("::", false)]
    [InlineData("::ffff:0.0.0.0", false)]
    public void Single_BoundTo_IsKnownUnlessItIsAWildcard(string name, bool isKnown)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var address = IPAddress.Parse(name);
        using var socket = CreateSocket(address.AddressFamily);
        if (address.IsIPv4MappedToIPv6)
        {
            Assert.True(socket.SetOption(SocketCalls.IPPROTO_IPV6, SocketCalls.IPV6_V6ONLY, 0).Succeeded);
        }

        Assert.True(socket.Bind(new IPEndPoint(address, 0)).Succeeded);
        Assert.True(socket.GetLocalEndPoint(new IPEndPoint(address, 0), out var bound).Succeeded);

        Assert.Equal(isKnown ? bound : null, new LocalEndPoints(socket, bound!).Single);
    }

    // As a transparent proxy's: the local address of a connection is the one that the client wanted.
    [Theory]
    [InlineData(AddressFamily.InterNetwork)]
    [InlineData(AddressFamily.InterNetworkV6)]
    public void Single_TransparentSocket_IsNotKnown(AddressFamily family)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        using var socket = CreateSocket(family);
        var loopback = new IPEndPoint(family == AddressFamily.InterNetwork ? IPAddress.Loopback : IPAddress.IPv6Loopback, 0);
        Assert.True(socket.Bind(loopback).Succeeded);
        Assert.NotNull(new LocalEndPoints(socket, loopback).Single);

        var result = socket.SetOption(StreamCalls.IPPROTO_IP, StreamCalls.IP_TRANSPARENT, 1);
        Assert.SkipWhen(result.Errno == Errno.EPERM, "IP_TRANSPARENT needs CAP_NET_ADMIN or CAP_NET_RAW.");
        Assert.SkipWhen(result.Errno is Errno.ENOPROTOOPT or Errno.EOPNOTSUPP, "This kernel has no IP_TRANSPARENT.");
        Assert.True(result.Succeeded, result.ErrorName);

        Assert.Null(new LocalEndPoints(socket, loopback).Single);
    }

    private static StreamSocket CreateSocket(AddressFamily family)
    {
        if (family == AddressFamily.InterNetworkV6)
        {
            IPv6.SkipUnlessThere();
        }

        Assert.True(StreamSocket.Create(family, out var socket).Succeeded);
        return socket!;
    }

    private static async Task<Socket> ConnectAsync(IConnectionListener listener)
    {
        var client = new Socket(listener.EndPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(
            listener.EndPoint is IPEndPoint { Port: var port } ? new IPEndPoint(IPAddress.Loopback, port) : listener.EndPoint);
        return client;
    }

    private static async Task<ConnectionContext> AcceptAsync(IConnectionListener listener) =>
        (await listener.AcceptAsync().Within("the connection is accepted"))!;
}
