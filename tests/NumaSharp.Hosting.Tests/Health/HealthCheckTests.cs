using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Hosting.Health;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Health;

public sealed class HealthCheckTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Fact]
    public async Task Check_AllPlaced_IsHealthy()
    {
        var report = await CheckAsync();
        Assert.Equal(HealthStatus.Healthy, report.Status);
        Assert.Equal(
            ["numa_memory", "numa_topology", "numa_transport", "numa_udp"], report.Entries.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Check_BindRefused_DegradesMemoryWithTheReason()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        var report = await CheckAsync();
        Assert.Equal(HealthStatus.Degraded, report.Entries["numa_memory"].Status);
        Assert.Contains("EPERM", report.Entries["numa_memory"].Description, StringComparison.Ordinal);
        Assert.Equal(HealthStatus.Healthy, report.Entries["numa_topology"].Status);
    }

    [Fact]
    public async Task Check_ManagedHeapIsNotOnTheNodes_IsHealthyWithTheRemedy()
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.Services.AddSingleton(new ManagedHeapReport(new ManagedHeapSettings { IsDynamic = true }));
        builder.AddNuma(numa => numa.AddMachine(_machine));
        using var host = builder.Build();
        var topology = (await CheckAsync(host)).Entries["numa_topology"];
        Assert.Equal(HealthStatus.Healthy, topology.Status);
        Assert.Contains("DOTNET_GCDynamicAdaptationMode=0", (string)topology.Data["managedHeap"], StringComparison.Ordinal);
        Assert.Empty((await CheckAsync()).Entries["numa_topology"].Data);
    }

    [Fact]
    public async Task Check_PinRefused_DegradesTopologyWithTheReason()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM));
        var report = await CheckAsync();
        Assert.Equal(HealthStatus.Degraded, report.Entries["numa_topology"].Status);
        Assert.Contains("EPERM", report.Entries["numa_topology"].Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Check_LoopFellBack_DegradesTransportAlone()
    {
        var report = await CheckAsync(static fallbacks => fallbacks.Report(new NumaFallback("loop.spare", "No thread.")));
        Assert.Equal(
            ($"No thread. {FallbackCatalog.LoopSpare.Remedy}", HealthStatus.Degraded),
            (report.Entries["numa_transport"].Description, report.Status));
        Assert.Equal(HealthStatus.Healthy, report.Entries["numa_topology"].Status);
        Assert.Equal(HealthStatus.Healthy, report.Entries["numa_memory"].Status);
    }

    [Fact]
    public async Task Check_DatagramsFellBack_DegradesUdpAlone()
    {
        var report = await CheckAsync(static fallbacks => fallbacks.Report(new NumaFallback("udp.gso", "No UDP_SEGMENT.")));
        Assert.Equal(
            ($"No UDP_SEGMENT. {FallbackCatalog.UdpGso.Remedy}", HealthStatus.Degraded),
            (report.Entries["numa_udp"].Description, report.Status));
        Assert.Equal(HealthStatus.Healthy, report.Entries["numa_topology"].Status);
        Assert.Equal(HealthStatus.Healthy, report.Entries["numa_transport"].Status);
    }

    [Fact]
    public void ProblemOf_Shard_IsNamedWhenItIsLost()
    {
        var shard = default(NumaUdpShardStatistics) with { NodeId = new(1), LoopIndex = 3, Sockets = 1, IsServing = true };
        var endPoint = new IPEndPoint(IPAddress.Loopback, 53);
        Assert.Null(UdpHealthCheck.ProblemOf(endPoint, shard));
        Assert.Equal(
            "The socket of 127.0.0.1:53 on loop 3 of node 1 is lost, closed or not watched.",
            UdpHealthCheck.ProblemOf(endPoint, shard with { IsServing = false }));
    }

    [Theory]
    [InlineData(true, "; it continues with other handlers.")]
    [InlineData(false, " and receives nothing.")]
    public void ProblemOf_HandlersHang_SaysWhetherTheShardReceives(bool isServing, string end)
    {
        var shard = default(NumaUdpShardStatistics) with
        {
            NodeId = new(1),
            LoopIndex = 3,
            Sockets = 1,
            HandlersStuck = 2,
            IsServing = isServing,
        };
        Assert.Equal(
            $"The socket of 127.0.0.1:53 on loop 3 of node 1 has hanging handler calls (2){end}",
            UdpHealthCheck.ProblemOf(new IPEndPoint(IPAddress.Loopback, 53), shard));
    }

    [Fact]
    public async Task Check_NodesFellBackAlike_SaysWhatToDoOnce()
    {
        var report = await CheckAsync(static fallbacks =>
        {
            fallbacks.Report(new NumaFallback("memory.bind", "Not node 0: EPERM", new(0)));
            fallbacks.Report(new NumaFallback("memory.bind", "Not node 1: EPERM", new(1)));
            fallbacks.Report(new NumaFallback("memory.acme", "Not here."));
        });
        Assert.Equal(
            $"Not node 0: EPERM. Not node 1: EPERM. Not here. {FallbackCatalog.MemoryBind.Remedy}",
            report.Entries["numa_memory"].Description);
    }

    [Fact]
    public async Task Check_AnythingElseFellBack_DegradesTopology()
    {
        var report = await CheckAsync(static fallbacks => fallbacks.Report(new NumaFallback("something.new", "x")));
        Assert.Equal(HealthStatus.Degraded, report.Entries["numa_topology"].Status);
    }

    [Fact]
    public async Task Check_Disabled_IsHealthy()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        _machine.Inject(new SimulatedFault(SimulatedOperation.SetThreadCpus, SimulatedError.EPERM));
        var report = await CheckAsync(null, ("Enabled", "false"));
        Assert.Equal(HealthStatus.Healthy, report.Status);
    }

    [Fact]
    public void Registrations_AreForReadinessAndNeverForRestarts()
    {
        using var host = NumaHost.Create(_machine);
        var registrations = host.Services.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value.Registrations;
        Assert.All(registrations, static registration =>
        {
            Assert.Equal(["numa", "ready"], registration.Tags.Order(StringComparer.Ordinal));
            Assert.Equal(HealthStatus.Degraded, registration.FailureStatus);
        });
    }

    private async Task<HealthReport> CheckAsync(
        Action<NumaFallbacks>? happen = null, params (string Key, string? Value)[] settings)
    {
        using var host = NumaHost.Create(_machine, settings);
        return await CheckAsync(host, happen);
    }

    private static async Task<HealthReport> CheckAsync(IHost host, Action<NumaFallbacks>? happen = null)
    {
        await host.StartAsync(TestContext.Current.CancellationToken);
        happen?.Invoke(host.Services.GetRequiredService<NumaFallbacks>());
        var report = await host.Services.GetRequiredService<HealthCheckService>()
            .CheckHealthAsync(TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        return report;
    }
}
