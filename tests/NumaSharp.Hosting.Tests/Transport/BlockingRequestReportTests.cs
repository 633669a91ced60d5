using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Transport;

/// <summary>Requests whose thread loses its loop: as many as a test says, and exactly then.</summary>
public sealed class BlockingRequestReportTests
{
    private const int LateRequest = 508;

    private readonly ManualTime _time = new();
    private readonly LateThread _lateThread = new();
    private readonly RecordingLog _log = new(from: LogLevel.Information);
    private volatile NumaEventLoop? _loop;

    public BlockingRequestReportTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "The epoll transport needs Linux.");

    [Fact]
    public async Task WatchForOne_ARequestKeepsItsLoop_IsNamedByItsRouteOnce()
    {
        await using var server = await StartAsync();
        using var client = ClientOf(server);
        await WatchAsync(server, client);
        await client.GetStringAsync("/loop");
        Assert.Empty(_log.TextsOf(LateRequest));
        await client.GetStringAsync("/stall/2");
        Assert.Contains("GET /stall/{number}", await ToldAsync(), StringComparison.Ordinal);
        await client.GetStringAsync("/stall/3");
        await client.GetStringAsync("/loop");
        Assert.Single(_log.TextsOf(LateRequest));
    }

    [Fact]
    public async Task WatchForOne_ARequestKeepsItsLoopAfterAnAwait_IsNamed()
    {
        await using var server = await StartAsync();
        using var client = ClientOf(server);
        await WatchAsync(server, client);
        var body = new Later();
        var post = client.PostAsync("/upload", body);
        await body.IsWaiting;
        body.GoOn();
        (await post).EnsureSuccessStatusCode();
        Assert.Contains("POST /upload", await ToldAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task WatchForOne_NoRouteAndALineFeedInThePath_IsOneLine()
    {
        await using var server = await StartAsync();
        using var client = ClientOf(server);
        await WatchAsync(server, client);
        await client.GetStringAsync("/elsewhere/a%0Ainfo:%1B[31m%E2%80%A8x");
        var text = await ToldAsync();
        Assert.DoesNotContain(text, char.IsControl);
        Assert.Contains("GET /elsewhere/a%0Ainfo:%1B", text, StringComparison.Ordinal);
        Assert.Contains("%E2%80%A8", text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WatchForOne_FeatureOfTheApplicationThrows_TheRequestIsAnswered()
    {
        await using var server = await StartAsync();
        using var client = ClientOf(server);
        await WatchAsync(server, client);
        Assert.Equal("broken", await client.GetStringAsync("/broken"));
        await Wait.UntilAsync(() => !ReportOf(server).IsWatching);
        Assert.Empty(_log.TextsOf(LateRequest));
    }

    [Fact]
    public async Task WatchForOne_NothingIsLateForAMinute_GivesUp()
    {
        await using var server = await StartAsync();
        using var client = ClientOf(server);
        await WatchAsync(server, client);
        _time.Advance(TimeSpan.FromMinutes(1));
        await client.GetStringAsync("/loop");
        await Wait.UntilAsync(() => !ReportOf(server).IsWatching);

        await WatchAsync(server, client);
        await client.GetStringAsync("/stall/1");
        await ToldAsync();
    }

    [Fact]
    public async Task WatchForOne_ARequestOfAnotherHostIsLate_IsNotNamed()
    {
        await using var server = await StartAsync();
        await using var other = await StartAsync();
        using var client = ClientOf(server);
        using var stranger = ClientOf(other);
        await LoopOfAsync(stranger);
        await WatchAsync(server, client);
        await stranger.GetStringAsync("/stall/1");
        await stranger.GetStringAsync("/loop");
        Assert.True(ReportOf(server).IsWatching);
        Assert.Empty(_log.TextsOf(LateRequest));

        await client.GetStringAsync("/stall/2");
        await ToldAsync();
    }

    [Fact]
    public async Task HandOvers_Many_NameTheRequestThatIsLateNext()
    {
        await using var server = await StartAsync();
        await Wait.UntilAsync(async () =>
        {
            // A connection that is late several times runs elsewhere; a request that runs elsewhere is not late.
            using var client = ClientOf(server);
            await LoopOfAsync(client);
            await client.GetStringAsync("/stall/4");
            return _log.TextsOf(LateRequest).Count != 0;
        });
    }

    private static BlockingRequestReport ReportOf(WebApplication server) =>
        server.Services.GetRequiredService<BlockingRequestReport>();

    private static HttpClient ClientOf(WebApplication server) => TestHttpClient.Create(new Uri(server.Urls.Single()));

    private async Task WatchAsync(WebApplication server, HttpClient client) =>
        ReportOf(server).WatchForOne(await LoopOfAsync(client));

    // The client has its answer before the request has ended on the server.
    private async Task<string> ToldAsync()
    {
        await Wait.UntilAsync(() => _log.TextsOf(LateRequest).Count > 0);
        return Assert.Single(_log.TextsOf(LateRequest));
    }

    // The first requests of a connection begin away from its loop.
    private async Task<NumaEventLoop> LoopOfAsync(HttpClient client)
    {
        _loop = null;
        await Wait.UntilAsync(async () =>
        {
            await client.GetStringAsync("/loop");
            return _loop is not null;
        });
        return _loop!;
    }

    private void Stall()
    {
        // The first requests of a connection cannot keep the loop.
        if (NumaEventLoop.Current is { IsHeldByCurrentThread: true } loop)
        {
            _lateThread.LoseLoop(loop);
        }
    }

    private async Task<WebApplication> StartAsync()
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, ("Topology:Provider", "SingleNode"));
        builder.Logging.AddProvider(_log);
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.Services.AddSingleton(provider => new EpollTransportFactory(
            provider.GetRequiredService<NumaTaskScheduler>(),
            new EpollTransportOptions
            {
                ConfigureLoops = _lateThread.Configure,
                Time = _time,
                ManyHandOvers = provider.GetRequiredService<BlockingRequestReport>().WatchForOne,
            },
            provider.GetRequiredService<NumaMemoryPools>()));
        builder.AddNuma();
        var app = builder.Build();
        app.MapGet("/loop", () =>
        {
            _loop = NumaEventLoop.Current;
            return "";
        });
        app.MapGet("/stall/{number}", (int number) =>
        {
            Stall();
            return Results.Text("stalled");
        });
        app.MapPost("/upload", async (HttpRequest request) =>
        {
            await request.BodyReader.ReadAtLeastAsync(1);
            Stall();
        });
        app.MapGet("/broken", (HttpContext context) =>
        {
            Stall();
            context.Features.Set<IHttpRequestFeature>(new Broken());
            return "broken";
        });
        app.MapWhen(static context => context.Request.Path.StartsWithSegments("/elsewhere"), elsewhere => elsewhere.Run(_ =>
        {
            Stall();
            return Task.CompletedTask;
        }));
        await app.StartAsync(TestContext.Current.CancellationToken);
        return app;
    }

    /// <summary>A body that comes when the test says so.</summary>
    private sealed class Later : HttpContent
    {
        private readonly TaskCompletionSource _waiting = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _goOn = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task IsWaiting => _waiting.Task;

        public void GoOn() => _goOn.SetResult();

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.FlushAsync();
            _waiting.SetResult();
            await _goOn.Task;
            await stream.WriteAsync(new byte[] { 1 });
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 1;
            return true;
        }
    }

    private sealed class Broken : IHttpRequestFeature
    {
        public string Protocol { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string Scheme { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string Method { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string PathBase { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string Path { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string QueryString { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public string RawTarget { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public IHeaderDictionary Headers { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

        public Stream Body { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }
    }
}
