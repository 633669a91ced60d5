using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Raw;

/// <summary>Bind, accept, unbind.</summary>
public abstract class ListenerSuite(TransportFixture transport) : RawSuite(transport)
{
    private static readonly IPEndPoint s_anyPort = new(IPAddress.Loopback, 0);

    [Fact]
    public async Task BindAsync_PortZero_EndPointHasTheRealPort()
    {
        await using var listener = await BindAsync(s_anyPort);
        var endPoint = Assert.IsType<IPEndPoint>(listener.EndPoint);
        Assert.Equal(IPAddress.Loopback, endPoint.Address);
        Assert.NotEqual(0, endPoint.Port);
    }

    [Fact]
    public async Task AcceptAsync_ClientsWaiting_EachIsAccepted()
    {
        await using var listener = await BindAsync(s_anyPort);
        for (var i = 0; i < 10; i++)
        {
            using var client = await WireClient.ConnectAsync(listener.EndPoint);
            await using var server = await listener.AcceptAsync().Within("the accept");
            Assert.Equal(client.Socket.LocalEndPoint, server!.RemoteEndPoint);
        }
    }

    [Fact]
    public async Task AcceptAsync_ClientAlreadyGone_StillAnswersTheNext()
    {
        await using var listener = await BindAsync(s_anyPort);
        for (var i = 0; i < 10; i++)
        {
            (await WireClient.ConnectAsync(listener.EndPoint)).Reset();
        }

        using var client = await WireClient.ConnectAsync(listener.EndPoint);
        while (true)
        {
            var server = await listener.AcceptAsync().Within("the accept");
            var found = Equals(server!.RemoteEndPoint, client.Socket.LocalEndPoint);
            await server.DisposeAsync().Within("the connection's disposal");
            if (found)
            {
                break;
            }
        }
    }

    [Fact]
    public async Task AcceptAsync_TokenCanceled_ThrowsAndTheNextWorks()
    {
        await using var listener = await BindAsync(s_anyPort);
        using var cancellation = new CancellationTokenSource();
        var pending = listener.AcceptAsync(cancellation.Token);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => pending.Within("the canceled accept"));
        using var client = await WireClient.ConnectAsync(listener.EndPoint);
        await using var server = await listener.AcceptAsync().Within("the accept");
        Assert.NotNull(server);
    }

    [Fact]
    public async Task UnbindAsync_AcceptPending_ReturnsNullAndSoDoesTheNext()
    {
        await using var listener = await BindAsync(s_anyPort);
        var pending = listener.AcceptAsync();
        await listener.UnbindAsync().Within("the unbind");
        Assert.Null(await pending.Within("the pending accept"));
        Assert.Null(await listener.AcceptAsync().Within("an accept after the unbind"));
    }

    [Fact]
    public async Task UnbindAsync_ConnectionsOpen_TheyContinueAndNewOnesAreRefused()
    {
        using var port = BoundPort.ForServers();
        await using var connection = await RawConnection.OpenAsync(
            Transport.CreateFactory(TransportLimits.Default), port.EndPoint);
        await connection.Listener.UnbindAsync().Within("the unbind");
        await connection.Client.SendAsync(Pattern.At(0, 1000));
        await connection.ReadPatternAsync(1000);
        await connection.WritePattern(1000).Within();
        await connection.ClientReceivePatternAsync(1000);
        var error = await Assert.ThrowsAsync<SocketException>(() => WireClient.ConnectAsync(connection.Listener.EndPoint));
        Assert.Equal(SocketError.ConnectionRefused, error.SocketErrorCode);
    }

    [Fact]
    public async Task UnbindAsync_ClientInTheBacklog_IsReset()
    {
        await using var listener = await BindAsync(s_anyPort);
        await (await WireConnectAcceptAsync(listener)).DisposeAsync();
        using var waiting = await WireClient.ConnectAsync(listener.EndPoint);
        await listener.UnbindAsync().Within("the unbind");
        while (await listener.AcceptAsync().Within("accepts until null") is { } taken)
        {
            await taken.DisposeAsync().Within("a connection that was taken before the unbind");
        }

        await listener.DisposeAsync().Within("the disposal");
        try
        {
            Assert.Empty(await waiting.ReceiveToEndAsync());
        }
        catch (SocketException exception)
        {
            Assert.Equal(SocketError.ConnectionReset, exception.SocketErrorCode);
        }
    }

    [Fact]
    public async Task DisposeAsync_AcceptPending_ReturnsNull()
    {
        var listener = await BindAsync(s_anyPort);
        var pending = listener.AcceptAsync();
        await listener.DisposeAsync().Within("the disposal");
        Assert.Null(await pending.Within("the pending accept"));
        await listener.DisposeAsync().Within("the second disposal");
    }

    [Fact]
    public async Task DisposeAsync_ConnectionOpen_ItContinues()
    {
        await using var connection = await OpenAsync();
        await connection.Listener.UnbindAsync().Within("the unbind");
        await connection.Listener.DisposeAsync().Within("the disposal");
        var flush = connection.WritePattern(300_000);
        await connection.ClientReceivePatternAsync(300_000);
        await flush.Within();
    }

    [Fact]
    public async Task BindAsync_PortInUse_AddressInUse()
    {
        await using var first = await BindAsync(s_anyPort);
        await Assert.ThrowsAsync<AddressInUseException>(() => BindAsync(first.EndPoint));
        using var client = await WireClient.ConnectAsync(first.EndPoint);
        await using var server = await first.AcceptAsync().Within("the accept");
        Assert.NotNull(server);
    }

    [Fact]
    public async Task BindAsync_PortInUseByAnyAddress_AddressInUse()
    {
        await using var first = await BindAsync(new IPEndPoint(IPAddress.Any, 0));
        var port = ((IPEndPoint)first.EndPoint).Port;
        await Assert.ThrowsAsync<AddressInUseException>(() => BindAsync(new IPEndPoint(IPAddress.Loopback, port)));
    }

    [Fact]
    public async Task BindAsync_PortJustUnbound_Works()
    {
        using var port = BoundPort.ForServers();
        var first = await BindAsync(port.EndPoint);
        using (var client = await WireClient.ConnectAsync(first.EndPoint))
        {
            var server = await first.AcceptAsync().Within("the accept");
            await server!.DisposeAsync().Within("the server closes first and has the TIME_WAIT");
            await client.ReceiveToEndAsync();
        }

        await first.UnbindAsync().Within("the unbind");
        await first.DisposeAsync().Within("the disposal");
        await using var second = await BindAsync(first.EndPoint);
        await (await WireConnectAcceptAsync(second)).DisposeAsync();
    }

    [Fact]
    public async Task BindAsync_ForeignAddress_SocketError()
    {
        var elsewhere = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 0); // TEST-NET-1, RFC 5737.
        var error = await Assert.ThrowsAsync<SocketException>(() => BindAsync(elsewhere));
        Assert.Equal(SocketError.AddressNotAvailable, error.SocketErrorCode);
    }

    [Fact]
    public async Task Accepted_ByDefault_NoDelayIsSet()
    {
        await using var connection = await OpenAsync();
        Assert.True(Transport.HasNoDelay(connection.Server));
    }

    private async Task<IConnectionListener> BindAsync(EndPoint endPoint) =>
        await Transport.CreateFactory(TransportLimits.Default).BindAsync(endPoint).Within("the bind");

    private static async Task<ConnectionContext> WireConnectAcceptAsync(IConnectionListener listener)
    {
        using var client = await WireClient.ConnectAsync(listener.EndPoint);
        var server = await listener.AcceptAsync().Within("the accept");
        Assert.NotNull(server);
        return server;
    }
}
