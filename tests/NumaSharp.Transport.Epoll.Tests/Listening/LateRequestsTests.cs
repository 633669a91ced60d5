using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Logging;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Listening;
using NumaSharp.Transport.Epoll.Tests.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

[Collection(nameof(Alone))]
public sealed class LateRequestsTests
{
    private readonly ManualTime _time = new();
    private readonly LateThread _lateThread = new();
    private readonly LateRequests _late;
    private readonly RecordingLog _log = new(from: LogLevel.Information);
    private volatile NumaEventLoop? _loop;

    public LateRequestsTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _late = new LateRequests(new EpollTransportLog(new OutboxLogger(_log, Outbox.Instance)), _time);
    }

    [Fact]
    public async Task WatchForOne_ARequestKeepsItsLoop_IsNamedByItsRouteOnce()
    {
        await using var server = await StartAsync();
        using var client = new HttpClient { BaseAddress = AddressOf(server) };
        var loop = await LoopOfAsync(client);
        _late.WatchForOne(loop);
        await client.GetStringAsync("/loop");
        Assert.Empty(_log.Entries);
        await client.GetStringAsync("/stall/2");
        await ExpectToldAsync();
        var (id, text) = Assert.Single(_log.Entries);
        Assert.Equal(508, id);
        Assert.Contains("GET /stall/{number}", text, StringComparison.Ordinal);
        await client.GetStringAsync("/stall/3");
        await client.GetStringAsync("/loop");
        Assert.Single(_log.Entries);
    }

    [Fact]
    public async Task WatchForOne_NobodyIsLateForAMinute_GivesUp()
    {
        await using var server = await StartAsync();
        using var client = new HttpClient { BaseAddress = AddressOf(server) };
        var loop = await LoopOfAsync(client);
        _late.WatchForOne(loop);
        _time.Advance(TimeSpan.FromMinutes(1));
        await client.GetStringAsync("/loop");
        _late.WatchForOne(loop);
        await client.GetStringAsync("/stall/1");
        await ExpectToldAsync();

        Assert.Single(_log.Entries);
    }

    [Fact]
    public async Task WatchForOne_ARequestOfAnotherTransportIsLate_IsNotNamed()
    {
        await using var server = await StartAsync();
        await using var other = await StartAsync();
        using var client = new HttpClient { BaseAddress = AddressOf(server) };
        using var stranger = new HttpClient { BaseAddress = AddressOf(other) };
        await LoopOfAsync(stranger);
        _late.WatchForOne(await LoopOfAsync(client));
        await stranger.GetStringAsync("/stall/1");
        await stranger.GetStringAsync("/loop");
        Assert.Empty(_log.Entries);

        await client.GetStringAsync("/stall/2");
        await ExpectToldAsync();
        Assert.Single(_log.Entries);
    }

    // The client has its answer before the request has ended on the server.
    private Task ExpectToldAsync() => Wait.UntilAsync(() => _log.Entries.Count > 0);

    // The first requests of a connection begin away from its loop.
    private async Task<NumaEventLoop> LoopOfAsync(HttpClient client)
    {
        for (_loop = null; _loop is null;)
        {
            await client.GetStringAsync("/loop");
        }

        return _loop;
    }

    private static Uri AddressOf(WebApplication server) =>
        new(server.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());

    private async Task<WebApplication> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");

        builder.WebHost.UseNumaSharpTransport(new EpollTransportFactory(
            new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst),
            new EpollTransportOptions { ConfigureLoops = _lateThread.Configure }));
        var app = builder.Build();
        app.MapGet("/loop", () =>
        {
            _loop = NumaEventLoop.Current;
            return "";
        });
        app.MapGet("/stall/{number}", (int number) =>
        {
            // The first requests of a connection begin away from the loop, and cannot keep it.
            if (NumaEventLoop.Current is { IsHeldByCurrentThread: true } loop)
            {
                _lateThread.LoseLoop(loop);
            }

            return Results.Text("stalled");
        });
        await app.StartAsync();
        return app;
    }
}
