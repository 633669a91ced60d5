using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Browser.Tests;

/// <summary>An application on a simulated machine that has mapped the page. Its time passes when a test says so.</summary>
internal sealed class Machine : IAsyncDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    private readonly WebApplication _app;
    private readonly ManualTime _time;
    private readonly int _ownTimers;

    private Machine(WebApplication app, ManualTime time)
    {
        _app = app;
        _time = time;
        _ownTimers = time.TimerCount;
        Client = TestHttpClient.Create(new Uri(app.Urls.Single()));
    }

    public HttpClient Client { get; }

    public Uri Page => new(Client.BaseAddress!, "/numa");

    /// <summary>How many wait for the next state.</summary>
    public int Viewers => _time.TimerCount - _ownTimers;

    /// <summary>Starts it.</summary>
    /// <param name="machine">What is simulated.</param>
    /// <param name="port">Where it listens; by default where nothing else does.</param>
    public static async Task<Machine> StartAsync(SimulatedMachineOptions machine, BoundPort? port = null)
    {
        var time = new ManualTime();
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(
        [
            KeyValuePair.Create<string, string?>("Numa:Page:Interval", $"{s_interval.TotalMilliseconds}ms"),

            // An idle node would help, and the numbers of each differ from run to run.
            KeyValuePair.Create<string, string?>("Numa:Scheduler:Policy", "NodeStrict"),

            // A connection that is late on its loop would become work of the node, which tests count.
            KeyValuePair.Create<string, string?>("Numa:Transport:Dispatch", "Inline"),
            KeyValuePair.Create<string, string?>("Numa:Transport:SharePort", port is null ? "false" : "true"),
        ]);
        builder.AddNuma().UsePlatform(new SimulatedMachine(machine).Platform);
        builder.Services.AddSingleton<TimeProvider>(time);
        builder.AllowSlowClients();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port?.Number ?? 0}");
        var app = builder.Build();
        app.MapNuma();
        app.MapPost("/echo", static (HttpContext context) =>
            context.Request.BodyReader.CopyToAsync(context.Response.BodyWriter, context.RequestAborted));
        await app.StartAsync();
        return new Machine(app, time);
    }

    /// <summary>An interval passes: open pages are sent another state.</summary>
    public void PassInterval() => _time.Advance(s_interval);

    /// <summary>Gives every node something to do, and to have.</summary>
    public async Task WorkAsync(int items = 100)
    {
        var scheduler = _app.Services.GetRequiredService<NumaTaskScheduler>();
        foreach (var node in scheduler.Plan.Nodes.Where(static node => node.Threads != 0))
        {
            for (var i = 0; i < items * (node.NodeIndex + 1); i++)
            {
                await scheduler.RunOnNode(node.NodeIndex, static () => { });
            }

            using var body = new ByteArrayContent(new byte[100_000]);
            using var answer = await Client.PostAsync(new Uri("/echo", UriKind.Relative), body);
            answer.EnsureSuccessStatusCode();
        }
    }

    /// <summary>Rents a block of a node's pool.</summary>
    public NumaMemoryBlock Rent(int node, int bytes) =>
        _app.Services.GetRequiredService<NumaMemoryPools>().ForNode(new(node)).RentBlock(bytes);

    /// <summary>The page's JSON.</summary>
    public async Task<JsonElement> StateAsync()
    {
        using var document = JsonDocument.Parse(await Client.GetStringAsync(new Uri("/numa/state", UriKind.Relative)));
        return document.RootElement.Clone();
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _app.StopAsync();
        await _app.DisposeAsync();
    }
}
