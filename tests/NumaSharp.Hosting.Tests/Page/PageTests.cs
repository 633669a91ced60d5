using System.Net;
using System.Net.ServerSentEvents;
using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Page;

public sealed partial class PageTests
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);
    private static readonly Uri s_events = new("/numa/events", UriKind.Relative);
    private static readonly string[] s_files = ["page.css", "page.js", "views.js", "charts.js", "icon.svg"];

    [Theory]
    [InlineData("/numa", "/numa", "/numa/")]
    [InlineData("/numa", "/numa/", "/numa/")]
    [InlineData("/ops/the machine", "/ops/the%20machine", "/ops/the%20machine/")]
    [InlineData("/", "/", "/")]
    public async Task Page_WhereverItIs_FindsItsFiles(string pattern, string address, string folder)
    {
        await using var app = await StartAsync(app => app.MapNuma(pattern));
        var html = await app.Client.GetStringAsync(new Uri(address, UriKind.Relative));
        var links = Links().Matches(html).Select(match => new Uri(new Uri(app.Address, address), match.Groups["to"].Value))
            .Select(static uri => uri.AbsolutePath).ToHashSet(StringComparer.Ordinal);
        Assert.Equal([$"{folder}icon.svg", $"{folder}page.css", $"{folder}page.js", $"{folder}state"], links.Order());
        foreach (var link in links)
        {
            using var response = await app.Client.GetAsync(new Uri(link, UriKind.Relative));
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        }
    }

    [Fact]
    public async Task Files_AllOfThem_AreSmallAndProtectedAndAskedForOnce()
    {
        await using var app = await StartAsync(static app => app.MapNuma());
        var total = 0L;
        foreach (var name in s_files.Append(""))
        {
            var address = new Uri($"/numa/{name}", UriKind.Relative);
            using var response = await app.Client.GetAsync(address);
            var content = await response.Content.ReadAsByteArrayAsync();
            total += content.Length;
            var policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
            Assert.StartsWith("default-src 'none';", policy, StringComparison.Ordinal);
            Assert.DoesNotContain("unsafe", policy, StringComparison.Ordinal);
            Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));

            using var again = new HttpRequestMessage(HttpMethod.Get, address);
            again.Headers.IfNoneMatch.Add(response.Headers.ETag!);
            using var same = await app.Client.SendAsync(again);
            Assert.Equal((HttpStatusCode.NotModified, 0), (same.StatusCode, (await same.Content.ReadAsByteArrayAsync()).Length));

            using var head = await app.Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, address));
            Assert.Equal(content.Length, head.Content.Headers.ContentLength);
        }

        Assert.InRange(total, 10_000, 150_000);
    }

    [Fact]
    public async Task State_OfAMachine_TellsItsNodesAndWhatHappensOnThem()
    {
        var machine = NumaHost.TwoNodes(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Read().Returns(machine.Platform.Topology.Read());
        topology.ReadStatistics(Arg.Any<NumaNodeId>()).Returns(static call =>
            new NumaNodeStatistics
            {
                MemoryBytes = 1L << 31,
                MemoryFreeBytes = call.Arg<NumaNodeId>().Value == 0 ? 1000 : 2000,
                Hit = 1,
                Miss = 2,
                Foreign = 3,
                InterleaveHit = 4,
                Local = 5,
                Other = 6,
            });
        await using var app = await StartAsync(static app => app.MapNuma(), machine.PlatformWith(topology));
        await app.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(1, static () => { });
        using var block = app.Services.GetRequiredService<NumaMemoryPools>().ForNode(new(1)).RentBlock(100_000);
        var state = await app.StateAsync();

        var nodes = state.GetProperty("nodes").EnumerateArray().ToArray();
        Assert.Equal([0, 1], nodes.Select(static node => node.GetProperty("id").GetInt32()));
        Assert.Equal([1000, 2000], nodes.Select(static node => node.GetProperty("memoryFreeBytes").GetInt64()));
        Assert.Equal(6, nodes[1].GetProperty("allocations").GetProperty("other").GetInt64());
        var placement = nodes[1].GetProperty("placement");
        Assert.InRange(placement.GetProperty("memory").GetProperty("poolRented").GetInt64(), 100_000, 1 << 20);
        Assert.Equal(0, placement.GetProperty("memory").GetProperty("allocatorCommitted").GetInt64());
        Assert.Equal("bound", placement.GetProperty("planned").GetProperty("binding").GetString());
        Assert.Equal("first touch", placement.GetProperty("applied").GetProperty("binding").GetString());
        Assert.Equal(
            placement.GetProperty("planned").GetProperty("workers").GetInt32(),
            placement.GetProperty("applied").GetProperty("workers").GetInt32());
        var fallback = state.GetProperty("fallbacks").EnumerateArray()
            .First(static one => one.GetProperty("feature").GetString() == "memory.bind");
        Assert.Contains("mbind(2)", fallback.GetProperty("advice").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Events_FirstAtOnce_ThenOthersUntilTheHostStops()
    {
        var time = new ManualTime();
        await using var app = await StartAsync(time);
        var others = time.TimerCount;
        await using var stream = await app.Client.GetStreamAsync(s_events);
        var (seen, stop) = (0, Task.CompletedTask);
        await foreach (var item in SseParser.Create(stream).EnumerateAsync())
        {
            using var state = JsonDocument.Parse(item.Data);
            Assert.Equal(("state", 0.1), (item.EventType, state.RootElement.GetProperty("intervalSeconds").GetDouble()));
            await Wait.UntilAsync(() => time.TimerCount == others + 1);
            if (++seen == 3)
            {
                stop = app.StopAsync();
            }
            else
            {
                time.Advance(s_interval);
            }
        }

        // Its end is the ordinary one, and the stop has not waited for the viewer: it would have done so for ever.
        Assert.Equal(3, seen);
        await stop.Within();
    }

    [Fact]
    public async Task Events_OfSeveralViewers_AreTheSameStatesAndNoneTwice()
    {
        const int Viewers = 3;
        const int States = 20;
        var time = new ManualTime();
        await using var app = await StartAsync(time);
        var others = time.TimerCount;
        var viewing = Task.WhenAll(Enumerable.Range(0, Viewers).Select(_ => TimesAsync(app, States)));
        var expected = new List<DateTimeOffset>();
        while (expected.Count < States)
        {
            // The stream waits for the next state once it has sent the last one.
            await Wait.UntilAsync(
                () => time.TimerCount == others + Viewers || viewing.IsCompleted, () => $"after {expected.Count} states");
            expected.Add(time.GetUtcNow());
            time.Advance(s_interval);
        }

        Assert.All(await viewing.Within(), viewer => Assert.Equal(expected, viewer));
    }

    [Fact]
    public async Task State_TransportIsOff_HasNoLoops()
    {
        await using var app = await StartAsync(static app => app.MapNuma(), settings: ("Transport:Enabled", "false"));
        var state = await app.StateAsync();

        Assert.Equal(0, state.GetProperty("loops").GetArrayLength());
        var placement = state.GetProperty("nodes")[0].GetProperty("placement");
        Assert.Equal(0, placement.GetProperty("applied").GetProperty("loops").GetInt32());
        Assert.Equal("Kestrel's own", state.GetProperty("plan").GetProperty("transport").GetString());
    }

    [Fact]
    public async Task MapNuma_BeforeTheStart_MakesNothing()
    {
        using var machine = NumaHost.TwoNodes();
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1);
        builder.AddNuma().UsePlatform(machine.Platform);
        await using var app = builder.Build();
        app.MapNuma();

        Assert.Equal(0, machine.GetCallCount(SimulatedOperation.SetThreadCpus));
        Assert.Equal(0, machine.GetCallCount(SimulatedOperation.Bind));
    }

    // The start says what is wrong, with what is wrong elsewhere.
    [Fact]
    public async Task MapNuma_SettingsThatAreWrong_LeavesItToTheStart()
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, ("Page:Interval", "soon"));
        builder.AddNuma();
        builder.Services.AddOptions<AuthenticationOptions>().Validate(static _ => false, "Mine").ValidateOnStart();
        await using var app = builder.Build();
        app.MapNuma();

        var exception = await Assert.ThrowsAsync<AggregateException>(() => app.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal(2, exception.InnerExceptions.Count);
    }

    [Fact]
    public async Task Conventions_OfTheResult_HoldForAllEndpoints()
    {
        await using var app = await StartAsync(
            static app => app.MapNuma().RequireAuthorization(),
            configure: static builder =>
            {
                builder.Services.AddAuthentication("Header")
                    .AddScheme<AuthenticationSchemeOptions, HeaderAuthentication>("Header", null);
                builder.Services.AddAuthorization();
            });
        foreach (var name in s_files.Concat(["", "state", "events"]))
        {
            var address = new Uri($"/numa/{name}", UriKind.Relative);
            using var refused = await app.Client.GetAsync(address);
            Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
            using var request = new HttpRequestMessage(HttpMethod.Get, address);
            request.Headers.Add("X-Name", "somebody");
            using var granted = await app.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
            Assert.Equal(HttpStatusCode.OK, granted.StatusCode);
        }
    }

    [Fact]
    public async Task MapNuma_NotEnabled_MapsNothing()
    {
        await using var app = await StartAsync(static app => app.MapNuma(), settings: ("Page:Enabled", "false"));
        foreach (var name in s_files.Concat(["", "state", "events"]))
        {
            using var response = await app.Client.GetAsync(new Uri($"/numa/{name}", UriKind.Relative));
            Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        }
    }

    [Fact]
    public async Task MapNuma_WithoutAddNuma_SaysSo()
    {
        await using var app = WebApplication.CreateSlimBuilder().Build();
        var exception = Assert.Throws<InvalidOperationException>(() => app.MapNuma());
        Assert.Contains("AddNuma()", exception.Message, StringComparison.Ordinal);
    }

    private static async Task<DateTimeOffset[]> TimesAsync(PageApp app, int count)
    {
        await using var stream = await app.Client.GetStreamAsync(s_events);
        var times = new List<DateTimeOffset>();
        await foreach (var item in SseParser.Create(stream).EnumerateAsync())
        {
            using var state = JsonDocument.Parse(item.Data);
            times.Add(state.RootElement.GetProperty("time").GetDateTimeOffset());
            if (times.Count == count)
            {
                break;
            }
        }

        return [.. times];
    }

    // With states every 100 milliseconds of that time, and a stop that never gives up.
    private static Task<PageApp> StartAsync(ManualTime time) => StartAsync(
        static app => app.MapNuma(),
        configure: builder => builder.Services.AddSingleton<TimeProvider>(time)
            .Configure<HostOptions>(static options => options.ShutdownTimeout = Timeout.InfiniteTimeSpan),
        settings: ("Page:Interval", "100ms"));

    private static Task<PageApp> StartAsync(
        Action<WebApplication> map,
        NumaPlatform? platform = null,
        Action<WebApplicationBuilder>? configure = null,
        params (string Key, string? Value)[] settings)
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, settings);
        builder.AddNuma().UsePlatform(platform ?? NumaHost.TwoNodes().Platform);
        configure?.Invoke(builder);
        return PageApp.StartAsync(builder.Build(), map);
    }

    [GeneratedRegex("(href|src)=\"(?<to>[^\"#][^\"]*)\"", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Links();

    private sealed class HeaderAuthentication(
        IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(
            Request.Headers.ContainsKey("X-Name")
                ? AuthenticateResult.Success(new AuthenticationTicket(
                    new ClaimsPrincipal(new ClaimsIdentity(authenticationType: "Header")), "Header"))
                : AuthenticateResult.NoResult());
    }
}
