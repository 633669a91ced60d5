using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>A server of which every instrument has points.</summary>
internal static class MeteredApp
{
    public static async Task<WebApplication> StartAsync(Action<WebApplicationBuilder>? configure = null)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the epoll transport needs Linux");
        if (GC.CollectionCount(0) == 0)
        {
            // The metric of the managed heap may begin with it.
            GC.Collect();
        }

        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.AllowSlowClients();
        builder.Logging.ClearProviders();
        builder.AddNumaUdp<EchoHandler>("echo").Configure(static numa => numa.Udp["echo"] = new NumaUdpListenerOptions());
        configure?.Invoke(builder);
        var app = builder.Build();
        await app.StartAsync(TestContext.Current.CancellationToken);
        app.Services.GetRequiredService<NumaFallbacks>().Report(new NumaFallback("test.feature", "It is unavailable.", new(0)));
        return app;
    }

    /// <summary>Queues enough for a sample of how long it waits.</summary>
    public static Task WorkAsync(IServiceProvider services)
    {
        var scheduler = services.GetRequiredService<NumaTaskScheduler>();
        var node = scheduler.Plan.Nodes[0].NodeIndex;
        return Task.WhenAll([.. Enumerable.Range(0, 100).Select(_ => scheduler.RunOnNode(node, static () => { }))]);
    }
}
