using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>Every kind of address that Kestrel hands to a transport.</summary>
public abstract class EndPointSuite(TransportFixture transport) : RawSuite(transport)
{
    [Fact]
    public async Task IPv6_Loopback_Served()
    {
        IPv6.SkipUnlessThere();
        await ServeAsync(new IPEndPoint(IPAddress.IPv6Loopback, 0), static endPoint => endPoint);
    }

    [Fact]
    public async Task IPv6Any_IsDualMode_BothFamiliesServed()
    {
        IPv6.SkipUnlessThere();
        var any = new IPEndPoint(IPAddress.IPv6Any, 0);
        await ServeAsync(any, static endPoint => new IPEndPoint(IPAddress.IPv6Loopback, ((IPEndPoint)endPoint).Port));
        await ServeAsync(any, static endPoint => new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)endPoint).Port));
    }

    [Fact]
    public async Task IPv6Loopback_IPv4Client_IsRefused()
    {
        IPv6.SkipUnlessThere();

        // The port of all addresses is this socket's, which does not listen: no other process can have it.
        using var all = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp) { DualMode = true };
        all.Bind(new IPEndPoint(IPAddress.IPv6Any, 0));
        var port = ((IPEndPoint)all.LocalEndPoint!).Port;
        await using var listener = await BindAsync(new IPEndPoint(IPAddress.IPv6Loopback, port));

        await Assert.ThrowsAsync<SocketException>(() => WireClient.ConnectAsync(new IPEndPoint(IPAddress.Loopback, port)));
    }

    [Fact]
    public async Task IPv4Any_Loopback_Served() => await ServeAsync(
        new IPEndPoint(IPAddress.Any, 0), static endPoint => new IPEndPoint(IPAddress.Loopback, ((IPEndPoint)endPoint).Port));

    [Fact]
    public async Task UnixSocket_Path_ServedAndGoneAfterwards()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = UnixPath.New();
        await ServeAsync(new UnixDomainSocketEndPoint(path), static endPoint => endPoint);
        Assert.False(File.Exists(path));
    }

    [Fact]
    public async Task UnixSocket_PathInUse_AddressInUse()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = UnixPath.New();
        await using var first = await BindAsync(new UnixDomainSocketEndPoint(path));
        await Assert.ThrowsAsync<AddressInUseException>(() => BindAsync(new UnixDomainSocketEndPoint(path)));
        Assert.True(File.Exists(path));
    }

    [Fact]
    public async Task UnixSocket_EndPoints_AreThePath()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = UnixPath.New();
        var factory = Transport.CreateFactory(TransportLimits.Default);
        await using var connection = await RawConnection.OpenAsync(factory, new UnixDomainSocketEndPoint(path));
        Assert.Equal(path, connection.Server.LocalEndPoint!.ToString());
        Assert.IsType<UnixDomainSocketEndPoint>(connection.Server.RemoteEndPoint);
    }

    [Fact]
    public async Task UnixSocket_Unbound_FileIsGone()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = UnixPath.New();
        await using var listener = await BindAsync(new UnixDomainSocketEndPoint(path));
        await listener.UnbindAsync();
        Assert.False(File.Exists(path));

        // Another listener's by now: the end of the first listener leaves it alone.
        await using var second = await BindAsync(new UnixDomainSocketEndPoint(path));
        await listener.DisposeAsync();
        Assert.True(File.Exists(path));
    }

    [Fact]
    public async Task UnixSocket_FileWithoutAListener_AddressInUseAndLeftAlone()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = UnixPath.New();
        await File.WriteAllTextAsync(path, "");
        await Assert.ThrowsAsync<AddressInUseException>(() => BindAsync(new UnixDomainSocketEndPoint(path)));
        Assert.True(File.Exists(path));
        File.Delete(path);
    }

    [Fact]
    public async Task UnixSocket_NoSuchFolder_AddressNotAvailable()
    {
        Assert.SkipUnless(Socket.OSSupportsUnixDomainSockets, "This system has no Unix domain sockets.");
        var path = Path.Combine(UnixPath.New(), "socket");
        var exception = await Assert.ThrowsAsync<SocketException>(() => BindAsync(new UnixDomainSocketEndPoint(path)));
        Assert.Equal(SocketError.AddressNotAvailable, exception.SocketErrorCode);
    }

    [Fact]
    public async Task UnixSocket_AbstractName_ServedAndFreeAfterwards()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Abstract names are Linux's.");
        var name = new UnixDomainSocketEndPoint($"\0numasharp-{Path.GetRandomFileName()}");
        await ServeAsync(name, endPoint =>
        {
            Assert.Equal(name, endPoint);
            return endPoint;
        });
        await ServeAsync(name, static endPoint => endPoint);
    }

    [Theory]
    [InlineData(AddressFamily.InterNetwork, FileHandleType.Auto)]
    [InlineData(AddressFamily.InterNetwork, FileHandleType.Tcp)]
    [InlineData(AddressFamily.InterNetworkV6, FileHandleType.Tcp)]
    [InlineData(AddressFamily.Unix, FileHandleType.Pipe)]
    [InlineData(AddressFamily.Unix, FileHandleType.Auto)]
    public async Task FileHandle_ListeningSocketOfOtherCode_ServedAndStaysOpen(AddressFamily family, FileHandleType type)
    {
        IPv6.SkipUnlessThere(family);
        using var socket = ListeningSocket(family);
        var bound = socket.LocalEndPoint!;
        var handle = new FileHandleEndPoint((ulong)socket.SafeHandle.DangerousGetHandle(), type);
        for (var i = 0; i < 2; i++)
        {
            await ServeAsync(handle, endPoint =>
            {
                Assert.Equal(bound, endPoint);
                return endPoint;
            });
        }

        using var client = await WireClient.ConnectAsync(bound);
        using var accepted = await socket.AcceptAsync().Within("the owner's own accept");
        Assert.True(accepted.Connected);
    }

    [Fact]
    public async Task FileHandle_NotASocket_Refused()
    {
        using var file = File.OpenHandle(typeof(EndPointSuite).Assembly.Location);
        var handle = new FileHandleEndPoint((ulong)file.DangerousGetHandle(), FileHandleType.Auto);
        var exception = await Assert.ThrowsAsync<SocketException>(() => BindAsync(handle));
        Assert.Equal(SocketError.NotSocket, exception.SocketErrorCode);
    }

    [Fact]
    public void CanBind_KindOfEndPoint_TellsWhatIsServed()
    {
        var selector = Assert.IsType<IConnectionListenerFactorySelector>(
            Transport.CreateFactory(TransportLimits.Default), exactMatch: false);
        Assert.True(selector.CanBind(new IPEndPoint(IPAddress.Loopback, 0)));
        Assert.True(selector.CanBind(new UnixDomainSocketEndPoint(UnixPath.New())));
        Assert.True(selector.CanBind(new FileHandleEndPoint(1, FileHandleType.Auto)));
        Assert.False(selector.CanBind(new NamedPipeEndPoint("numasharp")));
    }

    private static Socket ListeningSocket(AddressFamily family)
    {
        EndPoint endPoint = family switch
        {
            AddressFamily.Unix => new UnixDomainSocketEndPoint(UnixPath.New()),
            AddressFamily.InterNetworkV6 => new IPEndPoint(IPAddress.IPv6Loopback, 0),
            _ => new IPEndPoint(IPAddress.Loopback, 0),
        };
        var socket = new Socket(family, SocketType.Stream, ProtocolType.Unspecified);
        socket.Bind(endPoint);
        socket.Listen();
        return socket;
    }

    private async Task<IConnectionListener> BindAsync(EndPoint endPoint) =>
        await Transport.CreateFactory(TransportLimits.Default).BindAsync(endPoint).Within("the bind");

    private async Task ServeAsync(EndPoint bind, Func<EndPoint, EndPoint> connect)
    {
        await using var listener = await BindAsync(bind);
        using var client = await WireClient.ConnectAsync(connect(listener.EndPoint));
        await using var server = await listener.AcceptAsync().Within("the accept");
        var echo = server!.Transport.Input.CopyToAsync(server.Transport.Output);
        for (var i = 0; i < 10; i++)
        {
            await client.SendAsync(Pattern.At(i, 1000));
            Pattern.Verify(await client.ReceiveExactlyAsync(1000), i);
        }

        client.EndSending();
        await echo.Within("the echo");
        await server.Transport.Output.CompleteAsync();
        Assert.Empty(await client.ReceiveToEndAsync());
    }
}
