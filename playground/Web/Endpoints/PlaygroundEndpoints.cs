using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace NumaSharp.Playground.Web.Endpoints;

/// <summary>Every endpoint is a plain RequestDelegate: this app is also what the benchmarks measure.</summary>
internal static class PlaygroundEndpoints
{
    private const string LiveTag = "live";

    public static void AddPlaygroundEndpoints(this WebApplicationBuilder builder)
    {
        builder.Services.AddSingleton<Departures>();
        builder.Services.AddHealthChecks().AddCheck("self", static () => HealthCheckResult.Healthy(), [LiveTag]);
    }

    public static void MapPlayground(this WebApplication app)
    {
        var departures = app.Services.GetRequiredService<Departures>();
        app.MapGet("/ping", PingEndpoint.Handle);
        app.MapGet("/data/{bytes}", DataEndpoint.Handle);
        app.MapGet("/big/{mebibytes}", new BigEndpoint(departures).HandleAsync);
        app.MapPost("/echo", new EchoEndpoint(departures).HandleAsync);
        app.MapPost("/sink", new SinkEndpoint(departures).HandleAsync);
        app.MapGet("/delay/{ms}", new DelayEndpoint(departures).HandleAsync);
        app.MapGet("/block/{ms}", LateEndpoint.Blocking.Handle);
        app.MapGet("/spin/{ms}", LateEndpoint.Spinning.Handle);
        app.MapGet("/hang", new HangEndpoint(departures).HandleAsync);
        app.MapGet("/aborted", context => Reply.NumberAsync(context, departures.Count));
        app.MapGet("/abort", AbortEndpoint.Handle);
        app.Map("/ws", new WebSocketEndpoint(departures, app.Lifetime).Build(app));
        app.MapGet("/where", WhereEndpoint.Handle);
        app.MapGet("/memory", MemoryEndpoint.HandleAsync);
        app.MapPost("/collect", MemoryEndpoint.CollectAsync);
        app.MapNuma();
        app.MapHealthChecks("/health");
        app.MapHealthChecks("/alive", new HealthCheckOptions { Predicate = static check => check.Tags.Contains(LiveTag) });
    }
}
