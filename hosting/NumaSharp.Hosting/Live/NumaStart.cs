using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Live;

/// <summary>
/// Applies the plan before any hosted service of the application starts, so that refusals of this machine are known, and reported
/// in one place, before the first request.
/// </summary>
internal sealed class NumaStart(
    IServiceProvider services, ILoggerFactory loggers, StopLimit stopLimit, IOptions<HostOptions> host) : IHostedLifecycleService
{
    // Kept in fields: if the host is disposed while it is stopping (WebApplicationFactory does), they cannot be resolved.
    private MachineFollower? _follower;
    private SettingsWatch? _settings;
    private PressureTrimmer? _trimmer;
    private NumaTaskScheduler? _scheduler;

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        var options = services.GetRequiredService<IOptions<NumaOptions>>().Value;
        var plan = services.GetRequiredService<NumaPlan>();
        _scheduler = services.GetRequiredService<NumaTaskScheduler>();
        var platform = services.GetRequiredService<NumaPlatform>();
        MemoryProbe.Touch(services, services.GetRequiredService<NumaMemoryPools>(), plan, platform, options);
        services.GetRequiredService<NumaMetrics>().SetPublished(options.Telemetry.Enabled);

        ReportPoolsOfOthers(options);
        Log(plan);
        _follower = services.GetRequiredService<MachineFollower>();
        _follower.SetInterval(options.Topology.PollInterval);
        if (options.Memory.TrimOnPressure)
        {
            _trimmer = services.GetRequiredService<PressureTrimmer>();
            _trimmer.Start();
        }

        _settings = services.GetRequiredService<SettingsWatch>();
        _settings.Start();
        if (options.Affinity.MeasureAtStart && plan.IsEnabled)
        {
            TryPinning(plan, platform, cancellationToken);
        }

        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // The server listens by now, and has not waited for the workers of a large machine.
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        _scheduler?.Starter?.StartAll();
        return Task.CompletedTask;
    }

    // The token may be the application's own, and end before the host's limit.
    public Task StoppingAsync(CancellationToken cancellationToken)
    {
        stopLimit.Begin(host.Value.ShutdownTimeout);
        cancellationToken.UnsafeRegister(static limit => ((StopLimit)limit!).Begin(TimeSpan.Zero), stopLimit);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken)
    {
        _settings?.Dispose();
        _trimmer?.Dispose();
        _follower?.Stop();
        return Task.CompletedTask;
    }

    // No server listens yet. Other services may have started.
    private void TryPinning(NumaPlan plan, NumaPlatform platform, CancellationToken cancellationToken)
    {
        var result = new PinningTrial(plan, platform.Affinity).Run(cancellationToken);
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        if (result.Costs)
        {
            NumaHostingLog.PinningCosts(logger, result, PinningTrialResult.Remedy);
        }
        else
        {
            NumaHostingLog.PinningTried(logger, result);
        }
    }

    // Kestrel adds its factory without checking for others: the last one counts.
    private void ReportPoolsOfOthers(NumaOptions options)
    {
        if (options.Enabled
            && !services.GetRequiredService<TransportChoice>().IsOurs
            && services.GetService<IMemoryPoolFactory<byte>>() is { } factory
            && MemoryPoolFactories.IsOfTheFramework(factory))
        {
            services.GetRequiredService<NumaFallbacks>().Report(new NumaFallback(
                FallbackCatalog.MemoryServer,
                "The server takes its buffers from its own pools, on any node: AddNuma() was called before Kestrel was "
                + "added."));
        }
    }

    private void Log(NumaPlan plan)
    {
        var logger = loggers.CreateLogger(NumaHostingLog.Category);
        foreach (var unknown in services.FindUnknownNumaKeys())
        {
            NumaHostingLog.UnknownSetting(logger, unknown.Key, unknown.Advice);
        }

        var degraded = services.GetRequiredService<NumaFallbacks>().Current
            .Select(static fallback => fallback.Feature)
            .Distinct(StringComparer.Ordinal)
            .Order(StringComparer.Ordinal)
            .DefaultIfEmpty("none");
        var transport = services.GetRequiredService<TransportChoice>();
        NumaHostingLog.Planned(logger, plan, transport.ToString(), string.Join(", ", degraded));
        if (transport.IsOverruled)
        {
            NumaHostingLog.SocketsServe(logger);
        }

        if (services.GetRequiredService<ManagedHeapReport>().Find(plan) is { } heap)
        {
            NumaHostingLog.ManagedHeapIsElsewhere(logger, heap.Text, heap.Remedy);
        }
    }
}
