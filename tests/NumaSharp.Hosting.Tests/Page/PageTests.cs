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
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Page;

public sealed partial class PageTests
{
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
        var platform = new FakePlatform
        {
            BindAnswer = FakePlatform.Refused,
            Statistics = static node => new NumaNodeStatistics(1L << 31, node == 0 ? 1000 : 2000, 1, 2, 3, 4, 5, 6),
        };
        await using var app = await StartAsync(static app => app.MapNuma(), platform);
        await app.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(1, static () => { });
        using var block = app.Services.GetRequiredService<NumaMemoryPools>().ForNode(1).RentBlock(100_000);
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
        await using var app = await StartAsync(static app => app.MapNuma(), settings: ("Page:Interval", "100ms"));
        await using var stream = await app.Client.GetStreamAsync(new Uri("/numa/events", UriKind.Relative));
        var seen = 0;
        await foreach (var item in SseParser.Create(stream).EnumerateAsync())
        {
            using var state = JsonDocument.Parse(item.Data);
            Assert.Equal(("state", 0.1), (item.EventType, state.RootElement.GetProperty("intervalSeconds").GetDouble()));
            if (++seen == 3)
            {
                _ = app.StopAsync();
            }
        }

        // Its end is the ordinary one, and nobody has waited for it.
        Assert.InRange(seen, 3, 100);
        await app.StopAsync().WaitAsync(TimeSpan.FromSeconds(20));
    }

    // Timers are early by up to a tick of the kernel's coarse clock.
    [Fact]
    public async Task Events_OfSeveralViewers_AreTheSameStatesAndNoneTwice()
    {
        await using var app = await StartAsync(static app => app.MapNuma(), settings: ("Page:Interval", "100ms"));
        var times = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => TimesAsync(app, 20)));

        Assert.All(times, static viewer => Assert.Equal(viewer.Distinct().Order(StringComparer.Ordinal), viewer));
        Assert.InRange(times.SelectMany(static viewer => viewer).Distinct().Count(), 20, 30);
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
        var platform = new FakePlatform();
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1);
        builder.AddNuma().UsePlatform(new NumaPlatform(platform, platform, platform));
        await using var app = builder.Build();
        app.MapNuma();

        Assert.Empty(platform.Pins);
        Assert.Empty(platform.Binds);
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

    private static async Task<string[]> TimesAsync(PageApp app, int count)
    {
        await using var stream = await app.Client.GetStreamAsync(new Uri("/numa/events", UriKind.Relative));
        var times = new List<string>();
        await foreach (var item in SseParser.Create(stream).EnumerateAsync())
        {
            using var state = JsonDocument.Parse(item.Data);
            times.Add(state.RootElement.GetProperty("time").GetString()!);
            if (times.Count == count)
            {
                break;
            }
        }

        return [.. times];
    }

    private static Task<PageApp> StartAsync(
        Action<WebApplication> map,
        FakePlatform? platform = null,
        Action<WebApplicationBuilder>? configure = null,
        params (string Key, string? Value)[] settings)
    {
        var builder = WebServer.CreateBuilder(HttpProtocols.Http1, settings);
        builder.AddNuma().UsePlatform(new NumaPlatform(platform ??= new FakePlatform(), platform, platform));
        configure?.Invoke(builder);
        return PageApp.StartAsync(builder.Build(), map);
    }

    [GeneratedRegex("(href|src)=\"(?<to>[^\"#][^\"]*)\"", RegexOptions.ExplicitCapture, 1000)]
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
