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
        await client.GetStringAsync("/stall/1");

        // On the same connection: the request before it has ended, on the server too.
        await client.GetStringAsync("/quick");
        _late.WatchForOne();
        await client.GetStringAsync("/quick");
        Assert.Empty(_told);
        await client.GetStringAsync("/stall/2");
        await ExpectToldAsync();
        Assert.Contains("GET /stall/{number}", Assert.Single(_told), StringComparison.Ordinal);
        await client.GetStringAsync("/stall/3");
        await client.GetStringAsync("/quick");
        Assert.Single(_told);
    }

    [Fact]
    public async Task WatchForOne_NobodyIsLateForAMinute_GivesUp()
    {
        await using var server = await StartAsync();
        using var client = new HttpClient { BaseAddress = AddressOf(server) };
        _late.WatchForOne();
        _time.Advance(TimeSpan.FromMinutes(1));
        await client.GetStringAsync("/quick");
        _late.WatchForOne();
        await client.GetStringAsync("/stall/1");
        await ExpectToldAsync();

        Assert.Single(_told);
    }

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        Assert.Equal(508, eventId.Id);
        lock (_told)
        {
            _told.Add(formatter(state, exception));
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

    private static Uri AddressOf(WebApplication server) =>
        new(server.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());

    private static async Task<WebApplication> StartAsync()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.WebHost.UseNumaSharpTransport(
            new EpollTransportFactory(new NumaTaskScheduler(NumaSchedulingPolicy.LocalityFirst)));
        var app = builder.Build();
        app.MapGet("/quick", static () => "quick");
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
