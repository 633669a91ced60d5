using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Configuration;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Starting;

/// <summary>
/// Carries out the plan before any hosted service of the application starts, so that what this machine refuses is known, and
/// said in one place, before the first request.
/// </summary>
internal sealed class NumaStart(IServiceProvider services, ILoggerFactory loggers) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        var options = services.GetRequiredService<IOptions<NumaOptions>>().Value;
        var section = services.GetRequiredService<NumaSection>();
        var plan = services.GetRequiredService<NumaPlan>();
        services.GetRequiredService<NumaTaskScheduler>();
        MemoryProbe.Touch(services.GetRequiredService<NumaMemoryPools>(), plan, section);
        if (options.Telemetry.Enabled)
        {
            services.GetRequiredService<NumaMetrics>().Publish();
        }

        Log(options, section, plan);
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    private string[] PluginSections() =>
    [
        .. services.GetServices<NumaPluginSection>().Select(static section => section.Name),
        .. services.GetRequiredService<PluginCatalog>().Sections,
    ];

    private void Log(NumaOptions options, NumaSection section, NumaPlan plan)
    {
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        foreach (var unknown in section.FindUnknown(PluginSections()))
        {
            NumaHostingLog.UnknownSetting(logger, section.Prefix + unknown.Path, section.Prefix + unknown.Nearest);
        }

        var transport = NodeTransportFactory.IsOn(options) ? $"epoll, {options.Transport.Dispatch}" : "Kestrel's own";
        var degraded = services.GetRequiredService<NumaFallbacks>().Current
            .Select(static fallback => fallback.Feature)
            .Distinct(StringComparer.Ordinal)
            .Order(StringComparer.Ordinal)
            .DefaultIfEmpty("nothing");
        NumaHostingLog.Planned(logger, plan, transport, string.Join(", ", degraded));
    }
}
