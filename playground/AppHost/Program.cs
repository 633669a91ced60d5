using NumaSharp.Playground.AppHost;

var builder = DistributedApplication.CreateBuilder(args);
if (builder.ExecutionContext.IsPublishMode)
{
    builder.AddPublishedServices();
}
else
{
    builder.AddServicesOfThisMachine();
}

await builder.Build().RunAsync();
