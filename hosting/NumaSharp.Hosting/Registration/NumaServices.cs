using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Core.Linux;
using NumaSharp.EventLoop;
using NumaSharp.Hosting.Health;
using NumaSharp.Hosting.Live;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Page;
using NumaSharp.Hosting.Platform;
using NumaSharp.Hosting.Plugins;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Transport;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace NumaSharp.Hosting.Registration;

/// <summary>The registrations of <c>AddNuma()</c>, one concern per method. The application's own take precedence.</summary>
internal static class NumaServices
{
    // So many start in a few milliseconds.
    private const int MostWorkersAtStart = 64;

    public static void AddTo(IServiceCollection services, IConfigurationSection? section)
    {
        AddSettings(services, section);
        AddPlugins(services);
        AddMachine(services);
        AddMemory(services);
        AddMemoryOfServers(services);
        AddScheduling(services);
        AddLoops(services);
        AddTransport(services);
        AddUdp(services);
        AddTelemetry(services);
        AddHealth(services);
        AddPage(services);
        AddStart(services);
    }

    private static void AddSettings(IServiceCollection services, IConfigurationSection? section)
    {
        services.TryAddSingleton(provider =>
        {
            var configuration = provider.GetService<IConfiguration>();
            return new NumaSection(section ?? configuration?.GetSection(NumaSettings.SectionName), configuration);
        });
        services.TryAddTransient<IOptionsFactory<NumaOptions>, NumaOptionsFactory>();
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IConfigureOptions<NumaOptions>, NumaOptionsBinding>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<NumaOptions>, NumaOptionsValidator>());
        services.AddOptions<NumaOptions>().ValidateOnStart();
        services.TryAddSingleton<IOptions<NumaOptions>, StartOptions>();
        services.TryAddSingleton<LiveOptions>();
        services.TryAddSingleton<SettingsWatch>();
    }

    private static void AddPlugins(IServiceCollection services)
    {
        services.AddPluginSettings(static provider => provider.GetRequiredService<NumaSection>());
        services.TryAddSingleton(static provider => new PluginCatalog(new PluginLoader(
            new PluginFolder(provider.GetService<IHostEnvironment>()?.ContentRootPath ?? AppContext.BaseDirectory),
            new PluginServices(
                provider.GetRequiredService<NumaSection>(),
                provider.GetRequiredService<NumaFallbacks>(),
                provider.GetRequiredService<ILoggerFactory>(),
                provider.GetService<IConfiguration>()),
            PluginLoader.CanLoadCode)));
    }

    private static void AddMachine(IServiceCollection services)
    {
        services.AddLogging();
        services.TryAddSingleton(static provider => new StopLimit(provider.GetService<TimeProvider>() ?? TimeProvider.System));
        services.TryAddSingleton<FallbackLog>();
        services.TryAddSingleton(static provider => provider.GetRequiredService<FallbackLog>().Fallbacks);
        services.TryAddSingleton(CreateSelector);
        services.TryAddSingleton<MachineReader>();
        services.TryAddSingleton(static provider => MachineOf(provider).Platform!);
        services.TryAddSingleton(static provider => MachineOf(provider).Topology!);
        services.TryAddSingleton<NodeClaim>();
        services.TryAddSingleton(PlanOf);
        services.TryAddSingleton(static provider => ManagedHeapReport.Of(
            provider.GetRequiredService<NumaPlatform>(), provider.GetRequiredService<IOptions<NumaOptions>>().Value));
        services.TryAddSingleton(static provider => new NumaPlanMonitor(
            provider.GetRequiredService<NumaPlan>(),
            provider.GetRequiredService<NumaPlatform>(),
            provider.GetRequiredService<NumaFallbacks>(),
            provider.GetService<TimeProvider>())
        {
            StopLimit = provider.GetRequiredService<StopLimit>(),
        });
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? provider.GetRequiredService<NumaTopology>().FindNode(nodeId)! : null!);
    }

    private static void AddMemory(IServiceCollection services)
    {
        services.TryAddSingleton(static provider => CreatePools(provider, forServers: false));
        services.TryAddSingleton<HostPools>();
        services.TryAddSingleton<ResolvedAllocator>();
        services.TryAddSingleton(CreateTrimmer);
        services.TryAddSingleton(CreateAllocator);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.PoolFor(provider, nodeId) : null!);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? NodeServices.AllocatorFor(provider, nodeId) : null!);
    }

    private static NumaMemoryPools CreatePools(IServiceProvider provider, bool forServers)
    {
        var memory = OptionsOf(provider).Memory;
        var options = CommonOf(provider, new NumaMemoryPoolsOptions
        {
            BlockSize = forServers ? Math.Max(memory.BlockSize, CurrentNodePoolFactory.MinBlockSize) : memory.BlockSize,
            ZeroOnReturn = memory.ZeroOnReturn,
            ArrayBacked = forServers,
        });
        if (forServers)
        {
            options.Memory = HugePages.Without(options.Memory!);
        }
        else
        {
            options.KeepPerNode = memory.PoolKeeps(options.KeepPerNode);
        }

        return new NumaMemoryPools(provider.GetRequiredService<NumaPlan>(), options)
            .Following(provider, static pools => pools.Apply);
    }

    private static NumaAllocator CreateAllocator(IServiceProvider provider)
    {
        var memory = OptionsOf(provider).Memory;
        var options = CommonOf(provider, new NumaAllocatorOptions
        {
            ZeroOnFree = memory is { ZeroOnReturn: true, Checks: not NumaMemoryCheckMode.None },
        });
        options.Memory = AllocatorMemory.For(options.Memory!, options.Fallbacks!);
        var allocator = new NumaAllocator(provider.GetRequiredService<NumaPlan>(), options)
            .Following(provider, static allocator => allocator.Apply);
        provider.GetRequiredService<ResolvedAllocator>().Value = allocator;
        return allocator;
    }

    // Simulated memory is never short, and a captured machine's files do not change.
    private static PressureTrimmer CreateTrimmer(IServiceProvider provider)
    {
        var pools = provider.GetRequiredService<HostPools>();
        var allocator = provider.GetRequiredService<ResolvedAllocator>();
        var topology = provider.GetRequiredService<NumaPlatform>().Topology;
        var files = PlatformSelector.IsOfThisLinux(topology, OptionsOf(provider).Topology)
            ? MemoryPressureFiles.Find(LinuxTopologyOptions.DefaultSysfsRoot, LinuxTopologyOptions.DefaultProcRoot)
            : null;
        var logger = new OutboxLogger(
            provider.GetRequiredService<ILoggerFactory>().CreateLogger(NumaHostingLog.Category), Outbox.Instance);
        return new PressureTrimmer(
            () => files?.Read(),
            [.. pools.Trims, () => allocator.Value?.TrimUnchecked() ?? 0],
            provider.GetService<TimeProvider>() is { } time && time != TimeProvider.System ? time : BackgroundTime.Trimming,
            provider.GetRequiredService<NumaFallbacks>(),
            (reason, bytes) => NumaHostingLog.MemoryIsShort(logger, reason, bytes));
    }

    private static T CommonOf<T>(IServiceProvider provider, T options)
        where T : NumaNodeMemoryOptions
    {
        var (memory, now) = (OptionsOf(provider).Memory, provider.GetRequiredService<LiveOptions>().Value.Memory);
        var platform = provider.GetRequiredService<NumaPlatform>();
        options.LimitPerNode = memory.LimitPerNode;
        options.TrimAfter = now.TrimAfter;
        options.KeepPerNode = now.KeepPerNode;
        options.Checks = memory.Checks;
        options.Time = provider.GetService<TimeProvider>();
        options.Memory = platform.Memory;
        options.Affinity = platform.Affinity;
        options.Fallbacks = provider.GetRequiredService<NumaFallbacks>();
        return options;
    }

    // Kestrel's sockets send buffers as arrays, so the pools of our own transport cannot serve them.
    private static void AddMemoryOfServers(IServiceCollection services)
    {
        services.TryAddSingleton(static provider => new CurrentNodePoolFactory(() => CreatePools(provider, forServers: true)));
        MemoryPoolFactories.Replace(services, static (provider, framework) => new ServerMemoryPoolFactory(
            () => OptionsOf(provider).Enabled || framework is null
                ? provider.GetRequiredService<CurrentNodePoolFactory>()
                : framework(provider)));
    }

    private static void AddScheduling(IServiceCollection services)
    {
        services.TryAddSingleton(static provider => new NumaTaskScheduler(SchedulerOptionsOf(provider))
            .Following(provider, static scheduler => scheduler.Apply));

        // Another library may key its task scheduler by anything but a number; such keys are not handled here.
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId ? provider.GetRequiredService<NumaTaskScheduler>().ForNode(nodeId) : null!);
        services.TryAddKeyedSingleton(KeyedService.AnyKey, static (provider, key) =>
            NodeServices.IdOf(key) is { } nodeId
                ? provider.GetRequiredService<NumaTaskScheduler>().GetPipeScheduler(NodeIndexOf(provider, nodeId))
                : null!);
    }

    private static NumaTaskSchedulerOptions SchedulerOptionsOf(IServiceProvider provider)
    {
        var options = OptionsOf(provider).Scheduler.Copy();
        options.Plan = provider.GetRequiredService<NumaPlan>();
        options.Affinity ??= provider.GetRequiredService<NumaPlatform>().Affinity;
        options.Fallbacks ??= provider.GetRequiredService<NumaFallbacks>();
        options.StopLimit = provider.GetRequiredService<StopLimit>();
        options.MostWorkersAtStart = MostWorkersAtStart;
        return options;
    }

    private static int NodeIndexOf(IServiceProvider provider, NumaNodeId nodeId)
    {
        // The task scheduler lookup finds the node, and reports a missing one.
        var scheduler = provider.GetRequiredService<NumaTaskScheduler>();
        _ = scheduler.ForNode(nodeId);
        return scheduler.Plan.GetNearestNode(nodeId).NodeIndex;
    }

    // Connections and datagrams share loops: a second thread per CPU would only compete with the first.
    private static void AddLoops(IServiceCollection services) =>
        services.TryAddSingleton(static provider => new SharedLoops(TransportOptionsOf(provider).CreateLoopOptions(
            provider.GetRequiredService<NumaPlatform>(), provider.GetRequiredService<NumaFallbacks>(), SharesLoops(provider))));

    private static void AddTransport(IServiceCollection services)
    {
        services.TryAddSingleton<BlockingRequestReport>();
        services.AddSingleton<IStartupFilter>(static provider => provider.GetRequiredService<BlockingRequestReport>());
        services.TryAddSingleton(static provider => new EpollTransportFactory(
            provider.GetRequiredService<NumaTaskScheduler>(),
            TransportOptionsOf(provider, provider.GetRequiredService<SharedLoops>()),
            provider.GetRequiredService<NumaMemoryPools>(),
            provider.GetRequiredService<ILoggerFactory>()).Following(provider, static transport => transport.Apply));

        services.TryAddSingleton(provider => new TransportChoice(services, provider.GetRequiredService<IOptions<NumaOptions>>()));

        // Kestrel adds its own transport only if there is none, and asks the last one first; its own stays, for end points that
        // ours declines.
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketTransportFactory>());
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, NodeTransportFactory>());
        if (OperatingSystem.IsLinux())
        {
            // Kestrel registers none, so none is replaced.
            services.TryAddSingleton<IConnectionFactory>(static provider => provider.GetRequiredService<EpollTransportFactory>());
        }
    }

    private static EpollTransportOptions TransportOptionsOf(IServiceProvider provider, SharedLoops? loops = null)
    {
        var options = OptionsOf(provider).Transport.Copy();
        options.StopLimit = provider.GetRequiredService<StopLimit>();
        options.ManyHandOvers = provider.GetRequiredService<BlockingRequestReport>().WatchForOne;
        options.Platform = provider.GetRequiredService<NumaPlatform>();
        options.Fallbacks = provider.GetRequiredService<NumaFallbacks>();
        options.Loops = loops;
        return options;
    }

    // An application's own scheduler may have another plan, which is then that of the transport.
    private static bool SharesLoops(IServiceProvider provider) =>
        provider.GetRequiredService<NumaTaskScheduler>().Plan.HasPositionsOf(provider.GetRequiredService<NumaPlan>());

    // Without a socket it has no thread and no memory.
    private static void AddUdp(IServiceCollection services) =>
        services.TryAddSingleton(static provider => new NumaUdpSocketFactory(
            provider.GetRequiredService<NumaPlan>(),
            new NumaUdpSocketFactoryOptions
            {
                StallThreshold = OptionsOf(provider).Transport.StallThreshold,
                Platform = provider.GetRequiredService<NumaPlatform>(),
                Fallbacks = provider.GetRequiredService<NumaFallbacks>(),
                StopLimit = provider.GetRequiredService<StopLimit>(),
                Loops = SharesLoops(provider) ? provider.GetRequiredService<SharedLoops>() : null,
            },
            provider.GetRequiredService<NumaMemoryPools>(),
            provider.GetRequiredService<ILoggerFactory>()).Following(provider, static factory => factory.Apply));

    private static void AddTelemetry(IServiceCollection services)
    {
        services.AddMetrics();
        services.TryAddSingleton(static provider =>
        {
            var monitor = provider.GetRequiredService<NumaPlanMonitor>();
            var live = provider.GetRequiredService<LiveOptions>();
            return new NodeStatisticsCache(
                provider.GetRequiredService<NumaPlatform>(),
                () => monitor.Topology,
                provider.GetRequiredService<NumaFallbacks>(),
                () => live.Value.Telemetry.Interval,
                provider.GetService<TimeProvider>());
        });
        services.TryAddSingleton(static provider => ManagedHeapPages.Of(
            provider.GetRequiredService<NumaPlatform>(), OptionsOf(provider), provider.GetService<TimeProvider>()));
        services.TryAddSingleton<MeterLifetime>();
        services.TryAddSingleton<NumaMetrics>();
        services.ConfigureOpenTelemetryMeterProvider(static (provider, meters) =>
        {
            provider.GetRequiredService<MeterLifetime>();
            meters.AddMeter(NumaTelemetry.MeterName);
        });
        services.ConfigureOpenTelemetryTracerProvider(static traces => traces.AddSource(NumaTelemetry.ActivitySourceName));
    }

    private static void AddHealth(IServiceCollection services)
    {
        string[] tags = ["numa", "ready"];
        services.AddHealthChecks()
            .Add(new HealthCheckRegistration(
                "numa_topology", static provider => PlacementHealthCheck.OfTopology(provider), HealthStatus.Degraded, tags))
            .Add(new HealthCheckRegistration(
                "numa_memory", static provider => PlacementHealthCheck.OfMemory(provider), HealthStatus.Degraded, tags))
            .Add(new HealthCheckRegistration(
                "numa_transport", static provider => new TransportHealthCheck(provider), HealthStatus.Degraded, tags))
            .Add(new HealthCheckRegistration(
                "numa_udp", static provider => new UdpHealthCheck(provider), HealthStatus.Degraded, tags));
    }

    private static void AddPage(IServiceCollection services)
    {
        services.TryAddSingleton<PageDataReader>();
        services.TryAddSingleton<PageDataFeed>();
    }

    private static void AddStart(IServiceCollection services)
    {
        services.TryAddSingleton<MachineFollower>();
        services.AddHostedService<NumaStart>();
    }

    // Each service that applies the plan is called when the machine changes.
    private static T Following<T>(this T made, IServiceProvider provider, Func<T, Action<NumaPlan>> apply)
    {
        provider.GetRequiredService<NumaPlanMonitor>().Follow(apply(made));
        return made;
    }

    private static PlatformSelector CreateSelector(IServiceProvider provider)
    {
        try
        {
            return new PlatformSelector(
                provider.GetServices<INumaTopologyProvider>(),
                provider.GetServices<INumaMemoryProvider>(),
                provider.GetServices<INumaAffinityProvider>(),
                OperatingSystem.IsLinux(),
                provider.GetRequiredService<PluginCatalog>(),
                provider.GetService<ChosenPlatform>());
        }
        catch (NumaSettingException exception)
        {
            var section = provider.GetRequiredService<NumaSection>();
            throw RefusedStart.Because(provider, SettingFailure.From(exception).Select(section.Describe));
        }
    }

    private static NumaPlan PlanOf(IServiceProvider provider)
    {
        var options = OptionsOf(provider);
        var plan = PlanRequests.PlanOf(options, provider.GetRequiredService<NumaTopology>());
        return plan.IsEnabled && options.Binding.Claims is { } folder
            ? provider.GetRequiredService<NodeClaim>().Narrow(plan, folder)
            : plan;
    }

    private static NumaOptions OptionsOf(IServiceProvider provider) =>
        provider.GetRequiredService<IOptions<NumaOptions>>().Value;

    private static Machine MachineOf(IServiceProvider provider) =>
        provider.GetRequiredService<MachineReader>().Read(OptionsOf(provider));
}
