using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Http;

/// <summary>Start, stop, and limits in time. Each test has a server for itself.</summary>
public abstract class LifetimeSuite(TransportFixture transport)
{
    [Fact]
    public async Task Stop_RequestInFlight_IsAnsweredFirst()
    {
        var started = new Signal();
        var finish = new Signal();
        using var port = BoundPort.ForServers();
        await using var server = await transport.StartServerAsync(new TestServerOptions { EndPoint = port.EndPoint });
        var path = server.On(async context =>
        {
            started.Set();
            await finish.Task.Within("the test lets the request finish");
            await Replies.TextAsync(context, "done");
        });
        using var client = await WireClient.ConnectAsync(server.Http);
        await client.GetAsync(path);
        await started.Task.Within("the request's start");
        var stop = server.StopAsync();
        await ExpectRefusedAsync(server);
        Assert.False(stop.IsCompleted);
        finish.Set();
        Assert.Equal("done", (await client.ReceiveResponseAsync()).Text);
        Assert.Empty(await client.ReceiveToEndAsync());
        await stop.Within("the stop");
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task Stop_IdleConnections_AreEnded()
    {
        await using var server = await transport.StartServerAsync();
        using var fresh = await WireClient.ConnectAsync(server.Http);
        using var used = await WireClient.ConnectAsync(server.Http);
        await used.GetAsync("/ping");
        Assert.Equal("pong", (await used.ReceiveResponseAsync()).Text);
        await server.WhenConnectionsAsync(static count => count == 2).Within("both connections are accepted");
        await server.StopAsync().Within("the stop");
        Assert.Empty(await used.ReceiveToEndAsync());
        Assert.Empty(await fresh.ReceiveToEndAsync());
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task Stop_RequestNeverEnds_IsAbortedAfterTheTimeout()
    {
        var started = new Signal();
        var aborted = new Signal();
        var options = new TestServerOptions { ShutdownTimeout = TimeSpan.FromMilliseconds(200) };
        await using var server = await transport.StartServerAsync(options);
        var path = server.On(async context =>
        {
            started.Set();
            await context.RequestAborted.Within("the stop reaches RequestAborted");
            aborted.Set();
        });
        using var client = await WireClient.ConnectAsync(server.Http);
        await client.GetAsync(path);
        await started.Task.Within("the request's start");
        await server.StopAsync().Within("the stop");
        await aborted.Task.Within("the handler sees it");
    }

    [Fact]
    public async Task Start_PortOfAServerJustStopped_Works()
    {
        using var port = BoundPort.ForServers();
        await using (var first = await transport.StartServerAsync(new TestServerOptions { EndPoint = port.EndPoint }))
        {
            using var client = await WireClient.ConnectAsync(first.Http);
            await client.GetAsync("/ping", "Connection: close\r\n"); // The server closes first and has the TIME_WAIT.
            await client.ReceiveToEndAsync();
            await first.StopAsync().Within("the stop");
        }

        await using var second = await transport.StartServerAsync(new TestServerOptions { EndPoint = port.EndPoint });
        using var again = await WireClient.ConnectAsync(second.Http);
        await again.GetAsync("/ping");
        Assert.Equal("pong", (await again.ReceiveResponseAsync()).Text);
    }

    [Fact]
    public async Task Start_PortInUse_IOExceptionWithAddressInUse()
    {
        await using var first = await transport.StartServerAsync();
        var options = new TestServerOptions { EndPoint = first.Http };
        var error = await Assert.ThrowsAsync<IOException>(() => transport.StartServerAsync(options));
        Assert.IsType<AddressInUseException>(error.InnerException);
        using var client = await WireClient.ConnectAsync(first.Http);
        await client.GetAsync("/ping");
        Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
    }

    [Fact]
    public async Task KeepAliveTimeout_IdleConnection_IsEnded()
    {
        var options = new TestServerOptions
        {
            Configure = static kestrel => kestrel.Limits.KeepAliveTimeout = TimeSpan.FromMilliseconds(200),
        };
        await using var server = await transport.StartServerAsync(options);
        using var unused = await WireClient.ConnectAsync(server.Http);
        var end = unused.ReceiveToEndAsync();

        // Kestrel uses the system's clock only. On a busy machine the timeout may end a connection before its request arrives;
        // such a connection proves nothing, so the next one is asked.
        await Wait.UntilAsync(() => IsServedAndEndedAsync(server));
        Assert.Empty(await end);
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task RequestHeadersTimeout_HalfARequest_408AndEnd()
    {
        var options = new TestServerOptions
        {
            Configure = static kestrel => kestrel.Limits.RequestHeadersTimeout = TimeSpan.FromMilliseconds(200),
        };
        await using var server = await transport.StartServerAsync(options);
        using var client = await WireClient.ConnectAsync(server.Http);
        await client.SendAsync("GET /ping HTTP/1.1\r\nHo");
        Assert.Equal(408, (await client.ReceiveResponseAsync()).Status);
        Assert.Empty(await client.ReceiveToEndAsync());
        Assert.Equal("", server.TakeErrors());
    }

    [Fact]
    public async Task MaxConcurrentConnections_OneTooMany_IsClosed()
    {
        var options = new TestServerOptions { Configure = static kestrel => kestrel.Limits.MaxConcurrentConnections = 1 };
        await using var server = await transport.StartServerAsync(options);
        using var first = await WireClient.ConnectAsync(server.Http);
        await first.GetAsync("/ping");
        Assert.Equal("pong", (await first.ReceiveResponseAsync()).Text);
        using var second = await WireClient.ConnectAsync(server.Http);
        Assert.Empty(await second.ReceiveToEndAsync());
        await first.GetAsync("/ping");
        Assert.Equal("pong", (await first.ReceiveResponseAsync()).Text);
    }

    private static async Task<bool> IsServedAndEndedAsync(TestServer server)
    {
        using var client = await WireClient.ConnectAsync(server.Http);
        try
        {
            await client.GetAsync("/ping");
            await client.ReceiveToEndAsync();
        }
        catch (SocketException exception)
            when (exception.SocketErrorCode is SocketError.ConnectionReset or SocketError.Shutdown)
        {
            Assert.Equal("", client.Unread);
        }

        // Whole, or nothing at all: half an answer is no matter of time.
        Assert.Matches(@"^(HTTP/1\.1 200 OK\r\n(.+\r\n)+\r\npong)?$", client.Unread);
        return client.Unread.Length != 0;
    }

    /// <summary>The listener goes before the requests end: a connection may still get into the backlog, then no more.</summary>
    private static Task ExpectRefusedAsync(TestServer server) => Wait.UntilAsync(
        async () =>
        {
            try
            {
                using var late = await WireClient.ConnectAsync(server.Http);
                return false;
            }
            catch (SocketException exception)
                when (exception.SocketErrorCode is SocketError.ConnectionRefused or SocketError.ConnectionReset)
            {
                return true;
            }
        },
        what: "the stopped server refuses connections");
}
