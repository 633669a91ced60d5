using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Playground.Cluster;

/// <summary>The cost of starting a web application on a whole machine: its threads are real, its nodes are simulated.</summary>
/// <param name="Start">From the builder to listening.</param>
/// <param name="Workers">From the builder until all workers have started.</param>
/// <param name="Stop">From the signal to the end.</param>
/// <param name="Threads">How many threads it has then, above those before.</param>
/// <param name="ResidentBytes">Its memory then, above that before.</param>
internal sealed record StartCost(TimeSpan Start, TimeSpan Workers, TimeSpan Stop, int Threads, long ResidentBytes)
{
    public static async Task<StartCost> OfAsync(SimulatedMachineOptions options, CancellationToken cancellation)
    {
        using var machine = new SimulatedMachine(options);
        var (threads, resident) = Look();
        var begin = Stopwatch.GetTimestamp();
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.AddNuma(numa => numa.UsePlatform(machine.Platform));
        await using var app = builder.Build();
        await app.StartAsync(cancellation);
        var start = Stopwatch.GetElapsedTime(begin);
        var scheduler = app.Services.GetRequiredService<NumaTaskScheduler>();
        var fallbacks = app.Services.GetRequiredService<NumaFallbacks>();
        while (scheduler.Plan.Nodes.Any(node => scheduler.GetStatistics(node.NodeIndex).Workers < node.Threads))
        {
            if (fallbacks.Current.FirstOrDefault(static fallback => fallback.Feature == "scheduler.worker") is { } refused)
            {
                throw new InvalidOperationException(refused.Message);
            }

            await Task.Delay(1, cancellation);
        }

        var workers = Stopwatch.GetElapsedTime(begin);
        var (threadsThen, residentThen) = Look();
        begin = Stopwatch.GetTimestamp();
        await app.StopAsync(cancellation);
        await app.DisposeAsync();
        return new StartCost(start, workers, Stopwatch.GetElapsedTime(begin), threadsThen - threads, residentThen - resident);
    }

    private static (int Threads, long ResidentBytes) Look()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        using var process = Process.GetCurrentProcess();
        return (process.Threads.Count, process.WorkingSet64);
    }
}
