using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Hosting.Tests.Telemetry;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Starting;

public sealed class ChangingMachineTests
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(10);

    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();
    private readonly ManualTime _time = new();

    [Fact]
    public async Task Host_CpusGoAndComeBack_EverythingFollows()
    {
        using var host = CreateHost(out var log, ("Topology:PollInterval", "10ms"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var services = host.Services;
        var start = services.GetRequiredService<NumaPlan>();
        var monitor = services.GetRequiredService<NumaPlanMonitor>();
        _machine.Change(static machine => machine.AllowedCpus = CpuSet.FromIds(0, 1, 3));
        await Wait.UntilAsync(() => monitor.ChangeCount == 1 && log.TextsOf(100).Count == 1);

        Assert.Same(monitor.Plan, services.GetRequiredService<NumaTaskScheduler>().Plan);
        Assert.Same(start, services.GetRequiredService<NumaPlan>());
        await Wait.UntilAsync(() => _machine.Pins().Count(static cpus => cpus.Equals(CpuSet.FromIds(3))) >= 2);
        Assert.StartsWith(
            "The machine has changed: CPUs 2 gone; node 1 on CPUs 3 instead of 2-3. The plan is now: 2 nodes (Simulated)",
            Assert.Single(log.TextsOf(100)),
            StringComparison.Ordinal);
        var values = MetricReading.Take(services.GetRequiredService<IMeterFactory>());
        Assert.Equal(
            (1, 3, 2),
            (values.Single(NumaTelemetry.PlanChanges),
                values.Single(NumaTelemetry.CpuAllowedCount),
                values.Single(NumaTelemetry.NodeCount)));
        var health = await CheckAsync(services);
        Assert.Equal(HealthStatus.Healthy, health.Status);
        Assert.Contains("cpus 3:", health.Description, StringComparison.Ordinal);

        _machine.Change(static machine => machine.AllowedCpus = CpuSet.Range(0, 4));
        await Wait.UntilAsync(() => monitor.ChangeCount == 2);
        Assert.Equal(start.Nodes.Select(static node => $"{node}"), monitor.Plan.Nodes.Select(static node => $"{node}"));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_MachineCannotBeRead_IsDegradedUntilItCan()
    {
        using var host = CreateHost(out var log, ("Topology:PollInterval", "10ms"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        _machine.Inject(new SimulatedFault(SimulatedOperation.Read, SimulatedError.EIO));
        _time.Advance(s_interval);
        await Wait.UntilAsync(() => log.TextsOf(701)
            .Any(static text => text.StartsWith("NUMA topology.reread: ", StringComparison.Ordinal)));
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync(host.Services)).Status);
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        Assert.Equal(1, MetricReading.Take(meters).Single(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Empty(log.TextsOf(703));

        _machine.ClearFaults();
        _time.Advance(s_interval);
        await Wait.UntilAsync(() => log.TextsOf(703).Count == 1);
        Assert.StartsWith("NUMA topology.reread recovered; it was: ", log.TextsOf(703)[0], StringComparison.Ordinal);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host.Services)).Status);
        Assert.Equal(0, MetricReading.Take(meters).Single(NumaTelemetry.PolicyActiveFallbacks));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Theory]
    [InlineData("Topology:PollInterval", "0")]
    [InlineData("Enabled", "false")]
    public async Task Host_TurnedOff_DoesNotLook(string key, string value)
    {
        using var host = CreateHost(out _, (key, value));
        await host.StartAsync(TestContext.Current.CancellationToken);

        // It could not be started here if it had been already.
        host.Services.GetRequiredService<NumaPlanMonitor>().Start(TimeSpan.FromDays(1));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Host_Stopped_LooksNoMore()
    {
        using var host = CreateHost(out _);
        await host.StartAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        var monitor = host.Services.GetRequiredService<NumaPlanMonitor>();
        Assert.Throws<ObjectDisposedException>(() => monitor.Start(TimeSpan.FromDays(1)));
    }

    [Fact]
    public void Services_MadeAfterAChange_FollowIt()
    {
        using var host = CreateHost(out _);
        var monitor = host.Services.GetRequiredService<NumaPlanMonitor>();
        _ = host.Services.GetRequiredService<NumaPlan>();
        _machine.Change(static machine => machine.AllowedCpus = CpuSet.FromIds(0, 2));
        Assert.True(monitor.Check());
        Assert.Equal("0,2", host.Services.GetRequiredService<NumaTaskScheduler>().Plan.Cpus.ToString());
    }

    private static async Task<HealthReportEntry> CheckAsync(IServiceProvider services)
    {
        var report = await services.GetRequiredService<HealthCheckService>()
            .CheckHealthAsync(TestContext.Current.CancellationToken);
        return report.Entries["numa_topology"];
    }

    private IHost CreateHost(out RecordingLog log, params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder([("Topology:Provider", SimulatedMachine.ProviderName), .. settings]);
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.AddNuma(numa => numa.AddMachine(_machine));
        log = builder.RecordLogs();
        return builder.Build();
    }
}
