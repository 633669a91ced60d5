using Microsoft.AspNetCore.Diagnostics.HealthChecks;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using OpenTelemetry;

const string LiveTag = "live";

var builder = WebApplication.CreateBuilder(args);
builder.AddNuma(numa =>
{
    // For the launch profile nps4: used only where Numa:Topology:Provider is Simulated.
    if (builder.Environment.IsDevelopment())
    {
        numa.AddSimulated();
    }
});

// AddNuma() has added checks of machine, memory and transport. What it must do without is Degraded, which is still 200.
builder.Services.AddHealthChecks().AddCheck("self", static () => HealthCheckResult.Healthy(), [LiveTag]);

// AddNuma() has registered its meter. Nothing is measured for an exporter that is not there.
if (!string.IsNullOrWhiteSpace(builder.Configuration["OTEL_EXPORTER_OTLP_ENDPOINT"]))
{
    builder.Services.AddOpenTelemetry().WithMetrics().UseOtlpExporter();
}

var app = builder.Build();

// The path says which part of the data is asked for. The work for a part always runs on the same node, where its memory is.
app.MapGet("/", static (NumaTaskScheduler scheduler) => $"Hello. NUMA nodes: {scheduler.Plan.Nodes.Count}");
app.MapGet("/parts/{part:int:min(0)}", static async (int part, NumaTaskScheduler scheduler) =>
{
    var node = scheduler.Plan.Nodes[part % scheduler.Plan.Nodes.Count];
    return await scheduler.RunOnNode(node.NodeIndex, () => $"Part {part} on node {node.NodeId}");
});

app.MapHealthChecks("/health");
app.MapHealthChecks("/alive", new HealthCheckOptions { Predicate = static check => check.Tags.Contains(LiveTag) });

// The live page shows the machine and the process. Elsewhere than in development, add RequireAuthorization(...).
if (app.Environment.IsDevelopment())
{
    app.MapNuma("/numa");
}

app.Run();
