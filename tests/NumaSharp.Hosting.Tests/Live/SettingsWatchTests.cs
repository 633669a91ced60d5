using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Live;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Tests.Telemetry;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Configuration;

/// <summary>A configuration that changes while the host runs.</summary>
public sealed class SettingsWatchTests
{
    private const int Changed = 706;
    private const int NeedsStart = 707;
    private const int Refused = 708;

    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();
    private readonly ManualTime _time = new();

    [Fact]
    public void Keys_ThatAreLive_AreSettings() => Assert.Subset(
        NumaSettings.All.Select(static setting => setting.Path).ToHashSet(StringComparer.Ordinal),
        LiveSettings.Keys.ToHashSet(StringComparer.Ordinal));

    [Fact]
    public async Task TrimAfter_Set_GivesBackUnneededMemory()
    {
        using var host = await StartAsync(out _, ("Memory:KeepPerNode", "0"));
        var (pool, allocator) = UseMemory(host.Services);
        var (pooled, allocated) = (pool.CommittedBytes, allocator.GetStatistics(new(0)).CommittedBytes);
        Assert.True(pooled > 0 && allocated > 0);
        PassFourSeconds();
        Assert.Equal((pooled, allocated), (pool.CommittedBytes, allocator.GetStatistics(new(0)).CommittedBytes));
        Change(host, ("Memory:TrimAfter", "1s"));

        PassFourSeconds();
        Assert.InRange(pool.CommittedBytes, 0, pooled - 1);
        Assert.InRange(allocator.GetStatistics(new(0)).CommittedBytes, 0, allocated - 1);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task TrimAfter_SetBeforeTheAllocatorIsMade_HoldsForIt()
    {
        using var host = await StartAsync(out _);
        Change(host, ("Memory:TrimAfter", "1s"), ("Memory:KeepPerNode", "0"));
        var (_, allocator) = UseMemory(host.Services);

        PassFourSeconds();
        Assert.Equal(0, allocator.GetStatistics(new(0)).CommittedBytes);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("1d")]
    public async Task PollInterval_Set_FollowsTheMachine(string before)
    {
        // A provider that says nothing of changes.
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Name.Returns("Mine");
        topology.Read().Returns(_ => _machine.Platform.Topology.Read());
        var builder = NumaHost.CreateBuilder(("Topology:PollInterval", before));
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.AddNuma(numa => numa.UsePlatform(_machine.PlatformWith(topology)));
        using var host = await StartAsync(builder.Build());
        var monitor = host.Services.GetRequiredService<NumaPlanMonitor>();
        _machine.Change(static machine => machine.AllowedCpus = CpuSet.FromIds(0, 1, 3));
        Change(host, ("Topology:PollInterval", "10ms"));
        _time.Advance(TimeSpan.FromMilliseconds(10));
        await Wait.UntilAsync(() => monitor.ChangeCount == 1);
        Change(host, ("Topology:PollInterval", "0"));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Telemetry_TurnedOffAndOn_MeterGoesAndComes()
    {
        using var host = await StartAsync(out _);
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        var all = MetricReading.Take(meters).Instruments.Count;
        Change(host, ("Telemetry:Enabled", "false"));
        Assert.Empty(MetricReading.Take(meters).Instruments);
        Change(host, ("Telemetry:Enabled", "true"));

        var reading = MetricReading.Take(meters);
        Assert.Equal((all, 2), (reading.Instruments.Count, reading.Single(NumaTelemetry.NodeCount)));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_OfWhatCanChange_IsReportedOnce()
    {
        using var host = await StartAsync(out var log, ("Transport:StallThreshold", "2ms"));
        Change(host, ("Transport:StallThreshold", "5ms"), ("Page:Interval", "2s"));
        Change(host);
        Change(host, ("Transport:StallThreshold", "2ms"));

        Assert.Equal(
            [
                "Numa:Page:Interval is now '2s'; it was '1s'.",
                "Numa:Transport:StallThreshold is now '5ms'; it was '2ms'.",
                "Numa:Transport:StallThreshold is now '2ms'; it was '5ms'.",
            ],
            log.TextsOf(Changed));
        Assert.Empty(log.TextsOf(NeedsStart));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_OfWhatTakesAStart_SaysSoAndWhenItIsTakenBack()
    {
        using var host = await StartAsync(out var log, ("Transport:Backlog", "100"));
        Change(host, ("Transport:Backlog", "200"), ("Udp:dns:Port", "53"));
        Change(host, ("Transport:Backlog", "300"));
        Change(host, ("Transport:Backlog", "100"));

        Assert.Equal(
            [
                "Numa:Transport:Backlog was changed to '200'; it stays '100' until the next start.",
                "Numa:Udp:dns:Port was changed to '53'; it stays '' until the next start.",
                "Numa:Transport:Backlog was changed to '300'; it stays '100' until the next start.",
            ],
            log.TextsOf(NeedsStart).Where(static text => text.Contains("Backlog", StringComparison.Ordinal)
                || text.Contains(":Port", StringComparison.Ordinal)));
        Assert.Equal("Numa:Transport:Backlog is now '100'; it was '300'.", Assert.Single(log.TextsOf(Changed)));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_OfSocketOptions_NamesOnlyTheKeysThatHaveChanged()
    {
        using var host = await StartAsync(
            out var log, ("Transport:Endpoints:0:Address", "*:80"), ("Transport:Endpoints:0:FastOpen", "16"));
        Change(host, ("Transport:Backlog", "200"));
        Change(host, ("Transport:Endpoints:0:Backlog", "512"));
        Change(host, ("Transport:Endpoints:0:FastOpen", null));

        Assert.Equal(
            [
                "Numa:Transport:Backlog was changed to '200'; it stays '512' until the next start.",
                "Numa:Transport:Endpoints:0:Backlog was changed to '512'; it stays '' until the next start.",
                "Numa:Transport:Endpoints:0:FastOpen was changed to ''; it stays '16' until the next start.",
            ],
            log.TextsOf(NeedsStart));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    // The configuration's keys may leave out numbers, which are then those of the items that code adds.
    [Fact]
    public async Task Change_ItemsOfConfigurationAndOfCode_HaveAKeyEach()
    {
        var builder = CreateBuilder(
            out var log, ("Transport:Endpoints:1:Address", "*:80"), ("Transport:Endpoints:2:Address", "*:81"));
        builder.AddNuma(numa => numa.AddMachine(_machine).Configure(static options =>
            options.Transport.Endpoints.Add(new() { Address = "*:82", Backlog = options.Transport.Backlog })));
        using var host = await StartAsync(builder.Build());
        Change(host, ("Transport:Backlog", "200"), ("Transport:Endpoints:1:Backlog", "7"));

        Assert.Equal(
            [
                "Numa:Transport:Backlog was changed to '200'; it stays '512' until the next start.",
                "Numa:Transport:Endpoints:1:Backlog was changed to '7'; it stays '' until the next start.",
                "Numa:Transport:Endpoints:3:Backlog was changed to '200'; it stays '512' until the next start.",
            ],
            log.TextsOf(NeedsStart));
        Assert.Empty(log.TextsOf(Refused));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_WithAMistake_ChangesNothingAndSaysWhat()
    {
        using var host = await StartAsync(out var log, ("Page:Interval", "3s"));
        var live = host.Services.GetRequiredService<LiveOptions>();
        Change(host, ("Page:Interval", "5s"), ("Memory:TrimAfter", "soon"), ("Transport:Backlog", "-1"));
        Change(host);

        Assert.Equal(TimeSpan.FromSeconds(3), live.Value.Page.Interval);
        var refused = Assert.Single(log.TextsOf(Refused));
        Assert.Contains("Numa:Memory:TrimAfter = 'soon': must be ", refused, StringComparison.Ordinal);
        Assert.Contains("Numa:Transport:Backlog = '-1': must be ", refused, StringComparison.Ordinal);
        Assert.Empty(log.TextsOf(Changed));

        Change(host, ("Memory:TrimAfter", null), ("Transport:Backlog", null));
        Assert.Equal(TimeSpan.FromSeconds(5), live.Value.Page.Interval);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_BetweenReadingAndStart_IsTaken()
    {
        using var host = Build(out var log);
        Assert.Equal(TimeSpan.FromSeconds(1), host.Services.GetRequiredService<LiveOptions>().Value.Page.Interval);
        Change(host, ("Page:Interval", "5s"));
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Equal(TimeSpan.FromSeconds(5), host.Services.GetRequiredService<LiveOptions>().Value.Page.Interval);
        Assert.Equal("Numa:Page:Interval is now '5s'; it was '1s'.", Assert.Single(log.TextsOf(Changed)));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    // Services without a host's configuration, which were given a section of another one.
    [Fact]
    public async Task Change_OfASectionThatWasGiven_IsTaken()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Mine:Page:Interval", "3s")]).Build();
        var services = new ServiceCollection();
        services.AddNuma(configuration.GetSection("Mine")).UsePlatform(_machine.Platform);
        await using var provider = services.BuildServiceProvider();
        var start = provider.GetServices<IHostedService>().OfType<IHostedLifecycleService>().Single();
        await start.StartingAsync(TestContext.Current.CancellationToken);
        configuration["Mine:Page:Interval"] = "5s";
        configuration.Reload();

        Assert.Equal(TimeSpan.FromSeconds(5), provider.GetRequiredService<LiveOptions>().Value.Page.Interval);
        await start.StoppedAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_AfterTheEnd_IsNotLookedAt()
    {
        using var host = await StartAsync(out var log);
        await host.StopAsync(TestContext.Current.CancellationToken);
        Change(host, ("Page:Interval", "5s"));

        Assert.Empty(log.TextsOf(Changed));
    }

    // The start checks a change before it by itself: no callback of the configuration holds back the next one.
    [Fact]
    public async Task Change_TheApplicationsCodeWaitsForTheNextOne_BothAreTakenInOrder()
    {
        IHost? host = null;
        var builder = CreateBuilder(out var log);
        builder.AddNuma(numa => numa.AddMachine(_machine).Configure(options =>
        {
            if (options.Page.Interval == TimeSpan.FromSeconds(5))
            {
                TestThreads.Run(() => Change(host!, ("Page:Interval", "7s")));
            }
        }));
        using var built = host = builder.Build();
        Assert.Equal(TimeSpan.FromSeconds(1), host.Services.GetRequiredService<LiveOptions>().Value.Page.Interval);
        Change(host, ("Page:Interval", "5s"));
        await host.StartAsync(TestContext.Current.CancellationToken);

        Assert.Equal(TimeSpan.FromSeconds(7), host.Services.GetRequiredService<LiveOptions>().Value.Page.Interval);
        Assert.Equal(
            ["Numa:Page:Interval is now '5s'; it was '1s'.", "Numa:Page:Interval is now '7s'; it was '5s'."],
            log.TextsOf(Changed));
        Assert.Empty(log.TextsOf(Refused));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Change_TheApplicationsCodeWaitsForTheEnd_IsNotTaken()
    {
        IHost? host = null;
        var builder = CreateBuilder(out var log);
        builder.AddNuma(numa => numa.AddMachine(_machine).Configure(options =>
        {
            if (options.Page.Interval == TimeSpan.FromSeconds(5))
            {
                TestThreads.Run(host!.Services.GetRequiredService<SettingsWatch>().Dispose);
            }
        }));
        using var built = host = await StartAsync(builder.Build());
        host.Services.GetRequiredService<StopLimit>().Begin(TimeSpan.Zero);
        Change(host, ("Page:Interval", "5s"));

        Assert.Equal(TimeSpan.FromSeconds(1), host.Services.GetRequiredService<LiveOptions>().Value.Page.Interval);
        Assert.Empty(log.TextsOf(Changed));
        Assert.Empty(log.TextsOf(Refused));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static void Change(IHost host, params (string Key, string? Value)[] settings)
    {
        var configuration = (IConfigurationRoot)host.Services.GetRequiredService<IConfiguration>();
        foreach (var (key, value) in settings)
        {
            configuration["Numa:" + key] = value;
        }

        configuration.Reload();
    }

    private static unsafe (NumaMemoryPool Pool, NumaAllocator Allocator) UseMemory(IServiceProvider services)
    {
        var pool = services.GetRequiredService<NumaMemoryPools>()[0];
        pool.RentBlock(1 << 20).Dispose();
        var allocator = services.GetRequiredService<NumaAllocator>();
        allocator.Free(allocator.Allocate(8 << 20, new(0)));
        return (pool, allocator);
    }

    // What is trimmed has been idle from one look to the next.
    private void PassFourSeconds()
    {
        for (var i = 0; i < 4; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
        }
    }

    private Task<IHost> StartAsync(out RecordingLog log, params (string Key, string? Value)[] settings) =>
        StartAsync(Build(out log, settings));

    private IHost Build(out RecordingLog log, params (string Key, string? Value)[] settings)
    {
        var builder = CreateBuilder(out log, settings);
        builder.AddNuma(numa => numa.AddMachine(_machine));
        return builder.Build();
    }

    private HostApplicationBuilder CreateBuilder(out RecordingLog log, params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder([("Topology:Provider", SimulatedMachine.ProviderName), .. settings]);
        log = builder.RecordLogs();
        builder.Services.AddSingleton<TimeProvider>(_time);
        return builder;
    }

    private static async Task<IHost> StartAsync(IHost host)
    {
        await host.StartAsync(TestContext.Current.CancellationToken);
        return host;
    }
}
