using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Hosting;

// What a service author writes, and nothing else: how a start ends is up to AddNuma.
if (args is ["worker", ..])
{
    var builder = Host.CreateApplicationBuilder(args);
    builder.AddNuma();
    builder.Build().Run();
}
else
{
    var builder = WebApplication.CreateBuilder(args);
    builder.AddNuma();
    var app = builder.Build();
    app.MapGet("/", () => "served");
    app.MapNuma();
    app.Run();
}
