// The samples of docs/guide/getting-started.md, in their order; a test compares them, and asks the application.
using NumaSharp.Core;
using NumaSharp.Scheduling;

var builder = WebApplication.CreateBuilder(args);
builder.AddNuma();

var app = builder.Build();
app.MapGet("/", () => "Hello");
app.MapNuma("/numa");

app.MapPost("/index/{shard:int}", async (int shard, NumaTaskScheduler scheduler) =>
{
    // The shard's data was built on this node, and is read there.
    var node = scheduler.Plan.Nodes[shard % scheduler.Plan.Nodes.Count].NodeIndex;
    return await scheduler.RunOnNode(node, () => $"shard {shard} on {Thread.CurrentThread.Name}");
});

app.MapPost("/upload", async (HttpRequest request, NumaMemoryPools pools) =>
{
    using var block = pools.Current.RentBlock(64 * 1024);
    var count = await request.Body.ReadAtLeastAsync(block.Memory, block.Length, throwOnEndOfStream: false);
    return $"{count} bytes in memory of node {block.NodeId}";
});

app.Run();
