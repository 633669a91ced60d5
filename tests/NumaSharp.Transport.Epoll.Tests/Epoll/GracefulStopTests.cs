using System.Collections.Concurrent;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Connections;
using NumaSharp.Transport.Epoll.Tests.Conformance;
using NumaSharp.Transport.Epoll.Tests.Conformance.Server;
using NumaSharp.Transport.Epoll.Tests.Conformance.Wire;
using NumaSharp.Transport.Epoll.Tests.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Epoll;

/// <summary>
/// A stop while a request lies in the kernel's buffer, because its loop is busy. A transport that reads ahead has it by then.
/// </summary>
public sealed class GracefulStopTests : IAsyncDisposable
{
    private readonly NumaTaskScheduler _scheduler = new(new NumaTaskSchedulerOptions { Plan = TestMachines.OneCpu().Plan() });
    private readonly ConcurrentQueue<EpollConnection> _connections = new();
    private EpollTransportFactory? _factory;
    private TestServer? _server;

    public static TheoryData<EpollDispatchMode> Modes => [.. Enum.GetValues<EpollDispatchMode>()];

    public async ValueTask DisposeAsync()
    {
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        _factory?.Dispose();
        _scheduler.Dispose();
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Stop_RequestInTheKernelsBuffer_IsServed(EpollDispatchMode dispatch)
    {
        var server = await StartAsync(dispatch);
        using var client = await WireClient.ConnectAsync(server.Http);
        await client.GetAsync("/ping");
        Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
        var connection = await IdleAsync();
        Task stop;
        using (new HeldLoop(connection.Shard.Loop))
        {
            const string Request = "GET /ping HTTP/1.1\r\nHost: x\r\n\r\n";
            await client.SendAsync(Request);
            HeldLoop.WaitForUnread(connection, Request.Length);
            stop = server.StopAsync();

            Assert.Equal("pong", (await client.ReceiveResponseAsync()).Text);
        }

        Assert.Empty(await client.ReceiveToEndAsync());
        await stop.Within("the stop");
        Assert.Equal("", server.TakeErrors());
    }

    // Kestrel ends an idle connection of HTTP/2 without asking the transport: GOAWAY names the last stream that it has served,
    // and the client sends the others again elsewhere.
    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Stop_IdleHttp2WithARequestInTheKernelsBuffer_GoAwaySaysIt(EpollDispatchMode dispatch)
    {
        var server = await StartAsync(dispatch);
        using var client = await Http2Client.ConnectAsync(server.H2c);
        await client.GetAsync(1, "/ping");
        await client.ReceiveStreamAsync(1);
        var connection = await IdleAsync();
        Task stop;
        using (new HeldLoop(connection.Shard.Loop))
        {
            HeldLoop.WaitForUnread(connection, await client.GetAsync(3, "/ping"));
            stop = server.StopAsync();

            Assert.Equal(1, (await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.GoAway)).LastStream);
        }

        await stop.Within("the stop");
    }

    [Theory]
    [MemberData(nameof(Modes))]
    public async Task Stop_BusyHttp2WithARequestInTheKernelsBuffer_IsServed(EpollDispatchMode dispatch)
    {
        var (started, finish) = (new Signal(), new Signal());
        var server = await StartAsync(dispatch);
        var path = server.On(async context =>
        {
            started.Set();
            await finish.Task.Within("the test lets the request finish");
            await Replies.TextAsync(context, "done");
        });
        using var client = await Http2Client.ConnectAsync(server.H2c);
        await client.GetAsync(1, path);
        await started.Task.Within("the request's start");
        var connection = await IdleAsync();
        Task stop;
        using (new HeldLoop(connection.Shard.Loop))
        {
            HeldLoop.WaitForUnread(connection, await client.GetAsync(3, "/ping"));
            stop = server.StopAsync();
            await client.ReceiveAsync(static frame => frame.Type == Http2FrameType.GoAway);
        }

        await client.ReceiveStreamAsync(3);
        finish.Set();
        await client.ReceiveStreamAsync(1);
        client.Dispose();
        await stop.Within("the stop");
    }

    private async Task<TestServer> StartAsync(EpollDispatchMode dispatch)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        var options = new EpollTransportOptions { Dispatch = dispatch, ConfigureLoops = new LateThread().Configure };
        _factory = new EpollTransportFactory(_scheduler, options);
        return _server = await TestServer.StartAsync(
            host => host.ConfigureServices(services => services.AddSingleton<IConnectionListenerFactory>(_factory)),
            new TestServerOptions { Configure = kestrel => kestrel.ConfigureEndpointDefaults(Noted) });
    }

    private void Noted(ListenOptions endPoint) => endPoint.Use(next => connection =>
    {
        _connections.Enqueue((EpollConnection)connection);
        return next(connection);
    });

    // The only connection, once its application waits.
    private async Task<EpollConnection> IdleAsync()
    {
        var connection = Assert.Single(_connections);
        await Wait.UntilAsync(() => ((ReceivePipe)((IDuplexPipe)connection).Input).IsWaiting);

        // Off the loop's thread, which is to be held.
        await Task.Yield();
        return connection;
    }
}
