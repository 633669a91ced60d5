using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.AotApp;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Udp;

// Everything that AddNuma has, in a program without a compiler: connections, datagrams, work, memory, the page, health.
var builder = WebApplication.CreateSlimBuilder(args);
builder.AddNumaUdp<Echo>("echo");
builder.Services.AddHealthChecks();
var app = builder.Build();
app.MapNuma();
app.MapHealthChecks("/health");
app.MapGet("/datagrams", static (HttpContext context) => context.Response.WriteAsync(
    $"{context.RequestServices.GetRequiredService<NumaUdpSocketFactory>().Sockets.Single().LocalEndPoint.Port}"));
app.MapGet("/work", static async (HttpContext context) =>
{
    var services = context.RequestServices;
    using var block = services.GetRequiredService<NumaMemoryPools>().Current.RentBlock(100_000);
    var scheduler = services.GetRequiredService<NumaTaskScheduler>();
    var node = await scheduler.RunOnNode(scheduler.Plan.Nodes[0].NodeIndex, static () => NumaTaskScheduler.CurrentNodeIndex);
    await context.Response.WriteAsync($"{block.Length >= 100_000} {node}");
});
app.Run();
