using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using NumaSharp.EventLoop;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll.Listening;
using NumaSharp.Transport.Epoll.Tests.Conformance;

namespace NumaSharp.Transport.Epoll.Tests.Listening;

public sealed class LateRequestsTests : ILogger
{
    private readonly ManualTime _time = new();
    private readonly LateRequests _late;
    private readonly List<string> _told = [];
    private volatile NumaEventLoop? _loop;

    public LateRequestsTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");
        _late = new LateRequests(new EpollTransportLog(this), _time);
    }

    [Fact]
    public async Task WatchForOne_ARequestKeepsItsLoop_IsNamedByItsRouteOnce()
    {
        await using var server = await StartAsync();
        using var client = new HttpClient { BaseAddress = AddressOf(server) };
        var loop = await LoopOfAsync(client);
        _late.WatchForOne(loop);
        await client.GetStringAsync("/loop");
        Assert.Empty(_told);
        await client.GetStringAsync("/stall/2");
        await ExpectToldAsync();
        Assert.Contains("508: ", Assert.Single(_told), StringComparison.Ordinal);
        Assert.Contains("GET /stall/{number}", Assert.Single(_told), StringComparison.Ordinal);
        await client.GetStringAsync("/stall/3");
        await client.GetStringAsync("/loop");
        Assert.Single(_told);
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

        Assert.Single(_told);
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
        Assert.Empty(_told);

        await client.GetStringAsync("/stall/2");
        await ExpectToldAsync();
        Assert.Single(_told);
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        // Called within a request: what fails here would end that.
        lock (_told)
        {
            _told.Add(string.Create(CultureInfo.InvariantCulture, $"{eventId.Id}: {formatter(state, exception)}"));
        }
    }

    // The client has its answer before the request has ended on the server.
    private Task ExpectToldAsync() =>
        Task.Run(() => Assert.True(SpinWait.SpinUntil(
            () =>
            {
                lock (_told)
                {
                    return _told.Count > 0;
                }
            },
            Deadline.Limit)));

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

        // Long enough that nobody is late who does not mean to be: the first requests are compiled on the loop.
        var options = new EpollTransportOptions { StallThreshold = TimeSpan.FromMilliseconds(500) };
        builder.WebHost.UseNumaSharpTransport(
            new EpollTransportFactory(new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst), options));
        var app = builder.Build();
        app.MapGet("/loop", () =>
        {
            _loop = NumaEventLoop.Current;
            return "";
        });
        app.MapGet("/stall/{number}", static (int number) =>
        {
            // The first requests of a connection begin away from the loop, and cannot keep it.
            if (NumaEventLoop.Current is { IsHeldByCurrentThread: true } loop)
            {
                Assert.True(SpinWait.SpinUntil(() => !loop.IsHeldByCurrentThread, TimeSpan.FromSeconds(30)));
            }

            return Results.Text("stalled");
        });
        await app.StartAsync();
        return app;
    }
}
