using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Tests.Telemetry;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>What is there while the application's own services start and stop, and what is left when they cannot.</summary>
public sealed class HostLifeTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Fact]
    public async Task Host_ManyWorkers_HasOnePerNodeUntilItHasStarted()
    {
        int[] workers = [];
        using var host = Create(
            start: services =>
            {
                workers = WorkersOf(services);
                return Task.CompletedTask;
            },
            configure: static services => services.Configure<NumaOptions>(static options =>
            {
                // Both would start the others, too.
                options.Scheduler.StartsAllAfter = Timeout.InfiniteTimeSpan;
                options.Topology.PollInterval = TimeSpan.Zero;
            }),
            machine: new SimulatedMachine(TestMachines.Row(33, 32)));
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Equal([1, 1], workers);
        await Wait.UntilAsync(() => WorkersOf(host.Services) is [33, 32]);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_ServicesOfTheApplicationStopping_HaveEverything()
    {
        var answers = new List<int>();
        using var host = Create(stop: async services =>
        {
            answers.Add(await services.GetRequiredService<NumaTaskScheduler>().RunOnNode(1, static () => 7));
            using var block = services.GetRequiredService<NumaMemoryPools>()[1].RentBlock(100);
            var reading = MetricReading.Take(services.GetRequiredService<IMeterFactory>());
            answers.Add(reading.PerNode(NumaTelemetry.PoolRented).Length);
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal([7, 2], answers);
    }

    [Fact]
    public async Task Host_ServiceOfTheApplicationDoesNotStart_LeavesNothing()
    {
        NumaMemoryPool pool;
        IMeterFactory meters;
        IConfigurationRoot configuration;
        using var log = new RecordingLog(from: LogLevel.Trace);
        using (var host = Create(start: static _ => throw new InvalidOperationException("The application's own."), log: log))
        {
            await Assert.ThrowsAsync<InvalidOperationException>(() => host.StartAsync(TestContext.Current.CancellationToken));
            pool = host.Services.GetRequiredService<NumaMemoryPools>()[0];
            meters = host.Services.GetRequiredService<IMeterFactory>();
            configuration = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
            Assert.NotEqual(0, pool.CommittedBytes);
            Assert.NotEmpty(MetricReading.Take(meters).Instruments);
        }

        configuration["Numa:Page:Interval"] = "5s";
        configuration.Reload();
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Empty(MetricReading.Take(meters).Instruments);
        Assert.Empty(log.TextsOf(706));
    }

    // WebApplicationFactory stops the host and so ends the application's own Run(), which disposes it meanwhile.
    [Fact]
    public async Task Host_DisposedWhileItStops_StopsToTheEnd()
    {
        var isStopping = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var isDisposed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var host = Create(stop: _ =>
        {
            isStopping.SetResult();
            return isDisposed.Task;
        });
        await host.StartAsync(TestContext.Current.CancellationToken);
        var stop = host.StopAsync(TestContext.Current.CancellationToken);
        await isStopping.Task.Within();
        host.Dispose();
        isDisposed.SetResult();

        await stop.Within();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Host_WorkDoesNotEndBeforeTheShutdownTimeout_IsLeftBehind(bool isCanceled)
    {
        using var gate = new Gate();
        var time = new ManualTime();
        NumaFallbacks fallbacks;
        using (var host = Create(configure: services => services.AddSingleton<TimeProvider>(time)))
        {
            await host.StartAsync(TestContext.Current.CancellationToken);
            fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
            var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _ = host.Services.GetRequiredService<NumaTaskScheduler>().RunOnNode(0, () =>
            {
                entered.SetResult();
                gate.Pass();
            });
            await entered.Task.Within();
            await host.StopAsync(new CancellationToken(isCanceled));
            if (!isCanceled)
            {
                time.Advance(host.Services.GetRequiredService<IOptions<HostOptions>>().Value.ShutdownTimeout);
            }
        }

        // The scheduler's own limit is 5 s.
        Assert.Contains(
            fallbacks.Current,
            static fallback => fallback.Message.Contains(" running 0.05 s after", StringComparison.Ordinal));
    }

    private static int[] WorkersOf(IServiceProvider services)
    {
        var scheduler = services.GetRequiredService<NumaTaskScheduler>();
        return [scheduler.GetWorkerCount(0), scheduler.GetWorkerCount(1)];
    }

    private IHost Create(
        Func<IServiceProvider, Task>? start = null,
        Func<IServiceProvider, Task>? stop = null,
        RecordingLog? log = null,
        Action<IServiceCollection>? configure = null,
        SimulatedMachine? machine = null)
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.Logging.AddProvider(log ?? new RecordingLog());
        builder.AddNuma(numa => numa.AddMachine(machine ?? _machine));
        builder.Services.AddHostedService(services => new Service(services, start, stop));
        configure?.Invoke(builder.Services);
        return builder.Build();
    }

    private sealed class Service(
        IServiceProvider services, Func<IServiceProvider, Task>? start, Func<IServiceProvider, Task>? stop) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => start?.Invoke(services) ?? Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => stop?.Invoke(services) ?? Task.CompletedTask;
    }
}
