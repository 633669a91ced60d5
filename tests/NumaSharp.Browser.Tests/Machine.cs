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

/// <summary>An application on a simulated machine that has mapped the page.</summary>
internal sealed class Machine : IAsyncDisposable
{
    public const int IntervalMilliseconds = 100;

    private readonly WebApplication _app;

    private Machine(WebApplication app)
    {
        _app = app;
        Client = new HttpClient { BaseAddress = new Uri(app.Urls.Single()) };
    }

    public HttpClient Client { get; }

    public Uri Page => new(Client.BaseAddress!, "/numa");

    public int Port => Client.BaseAddress!.Port;

    /// <summary>Starts it.</summary>
    /// <param name="machine">What is simulated.</param>
    /// <param name="port">Where it listens; 0 for any.</param>
    public static async Task<Machine> StartAsync(SimulatedMachineOptions machine, int port = 0)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.Configuration.AddInMemoryCollection(
        [
            KeyValuePair.Create<string, string?>("Numa:Page:Interval", $"{IntervalMilliseconds}ms"),

            // An idle node would help, and the numbers of each differ from run to run.
            KeyValuePair.Create<string, string?>("Numa:Scheduler:Policy", "NodeStrict"),
        ]);
        builder.AddNuma().UsePlatform(new SimulatedMachine(machine).Platform);
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        var app = builder.Build();
        app.MapNuma();
        app.MapPost("/echo", static (HttpContext context) =>
            context.Request.BodyReader.CopyToAsync(context.Response.BodyWriter, context.RequestAborted));
        await app.StartAsync(TestContext.Current.CancellationToken);
        return new Machine(app);
    }

    /// <summary>Gives every node something to do, and to have.</summary>
    public async Task WorkAsync(int items = 100)
    {
        var scheduler = _app.Services.GetRequiredService<NumaTaskScheduler>();
        foreach (var node in scheduler.Plan.Nodes.Where(static node => node.Threads != 0))
        {
            for (var i = 0; i < items * (node.NodeIndex + 1); i++)
            {
                await scheduler.RunOnNode(node.NodeId, static () => { });
            }

            using var body = new ByteArrayContent(new byte[100_000]);
            using var answer = await Client.PostAsync(new Uri("/echo", UriKind.Relative), body);
            answer.EnsureSuccessStatusCode();
        }
    }

    /// <summary>Rents a block of a node's pool.</summary>
    public NumaMemoryBlock Rent(int node, int bytes) =>
        _app.Services.GetRequiredService<NumaMemoryPools>().ForNode(node).RentBlock(bytes);

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
