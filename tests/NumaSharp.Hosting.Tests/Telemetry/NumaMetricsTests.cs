using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class NumaMetricsTests
{
    private readonly FakePlatform _platform = new();

    [Fact]
    public async Task Meter_OfARunningHost_ShowsTheMachine()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.Equal(2, values.Single(NumaTelemetry.NodeCount));
        Assert.Equal(4, values.Single(NumaTelemetry.CpuAllowedCount));
        Assert.Equal([4L << 30, 4L << 30], values.PerNode(NumaTelemetry.NodeMemoryLimit));
        Assert.Equal([3L << 30, 3L << 30], values.PerNode(NumaTelemetry.NodeMemoryUsage));
        Assert.Equal(0, values.Single(NumaTelemetry.PolicyFallbacks));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_ProviderWithStatistics_ShowsEachCounterOfEachNode()
    {
        _platform.Statistics = static id => new NumaNodeStatistics(100, 40, id + 10, id + 20, id + 30, id + 40, id + 50, id + 60);
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.Equal([60, 60], values.PerNode(NumaTelemetry.NodeMemoryUsage));
        Assert.Equal([10, 11], values.PerNode(NumaTelemetry.NodeAllocationsHit));
        Assert.Equal([20, 21], values.PerNode(NumaTelemetry.NodeAllocationsMiss));
        Assert.Equal([30, 31], values.PerNode(NumaTelemetry.NodeAllocationsForeign));
        Assert.Equal([40, 41], values.PerNode(NumaTelemetry.NodeAllocationsInterleaveHit));
        Assert.Equal([50, 51], values.PerNode(NumaTelemetry.NodeAllocationsLocal));
        Assert.Equal([60, 61], values.PerNode(NumaTelemetry.NodeAllocationsOther));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_ProviderWithoutStatistics_HasNoCountersOfNodes()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.Empty(values.PerNode(NumaTelemetry.NodeAllocationsHit));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_RentedBlocks_ShowOnTheirNode()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        using (host.Services.GetRequiredKeyedService<NumaMemoryPool>(1).Rent())
        {
            var values = MetricReading.Take(meters);
            Assert.Equal([0, 4096], values.PerNode(NumaTelemetry.PoolRented));
            Assert.All(values.PerNode(NumaTelemetry.PoolCommitted), static bytes => Assert.True(bytes >= 4096));
        }

        Assert.Equal([0, 0], MetricReading.Take(meters).PerNode(NumaTelemetry.PoolRented));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_FreeBlocks_ArePooledOnTheirNode()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        var pool = host.Services.GetRequiredKeyedService<NumaMemoryPool>(1);
        pool.Rent().Dispose();
        var before = MetricReading.Take(meters).PerNode(NumaTelemetry.PoolPooled);
        using var block = pool.Rent();
        var after = MetricReading.Take(meters).PerNode(NumaTelemetry.PoolPooled);

        Assert.Equal([before[0], before[1] - 4096], after);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_Allocator_ShowsNothingUntilItIsUsed()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        string[] names = [NumaTelemetry.AllocatorAllocated, NumaTelemetry.AllocatorCommitted, NumaTelemetry.AllocatorRemoteFrees];
        var before = MetricReading.Take(meters);
        Assert.All(names, name => Assert.Equal([0, 0], before.PerNode(name)));

        var allocated = AllocateOnNode1(host.Services.GetRequiredService<NumaAllocator>());
        var values = MetricReading.Take(meters);
        Assert.Equal([0, allocated], values.PerNode(NumaTelemetry.AllocatorAllocated));
        Assert.InRange(values.PerNode(NumaTelemetry.AllocatorCommitted)[1], allocated, 1L << 30);
        await host.StopAsync(TestContext.Current.CancellationToken);

        static unsafe long AllocateOnNode1(NumaAllocator allocator)
        {
            _ = allocator.Allocate(1000, 1);
            return allocator.GetStatistics(1).AllocatedBytes;
        }
    }

    [Fact]
    public async Task Meter_WorkOfANode_IsCountedThere()
    {
        using var host = NumaHost.Create(_platform, ("Scheduler:Policy", "NodeStrict"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        var before = scheduler.GetExecuted(1);
        await scheduler.RunOnNode(1, static () => { }, TestContext.Current.CancellationToken);
        await host.StopAsync(TestContext.Current.CancellationToken);
        scheduler.Dispose();
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.True(values.PerNode(NumaTelemetry.SchedulerExecuted)[1] > before);
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerSteals));
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerQueueLength));
    }

    [Fact]
    public async Task Meter_Workers_ShowPlannedAndSpareOnesOfEachNode()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.Equal([2, 0, 2, 0], values.PerNode(NumaTelemetry.SchedulerWorkers));
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerEscapes));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_ListenedHistogram_TellsTheWaitsOfANode()
    {
        using var host = NumaHost.Create(_platform, ("Scheduler:Policy", "NodeStrict"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var factory = host.Services.GetRequiredService<IMeterFactory>();
        var seen = new TaskCompletionSource<(double Seconds, object? NodeId)>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, source) =>
        {
            if (instrument.Name == NumaTelemetry.SchedulerWait && ReferenceEquals(instrument.Meter.Scope, factory))
            {
                source.EnableMeasurementEvents(instrument);
            }
        };
        listener.SetMeasurementEventCallback<double>((_, seconds, tags, _) => seen.TrySetResult((seconds, tags[0].Value)));
        listener.Start();
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        for (var i = 0; i < 100; i++)
        {
            scheduler.QueueOnNode(1, static _ => { }, state: null);
        }

        var (seconds, nodeId) = await seen.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
        Assert.True(seconds >= 0);
        Assert.Equal(1, nodeId);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_ActiveFallbacks_HaveFeatureAndNodeAndAre0WhenOver()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
        var meters = host.Services.GetRequiredService<IMeterFactory>();
        Assert.Empty(MetricReading.Take(meters).AttributesOf(NumaTelemetry.PolicyActiveFallbacks));

        fallbacks.Report(new NumaFallback("memory.bind", "Refused.", 1));
        fallbacks.Report(new NumaFallback("memory.bind", "Refused.", 1));
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        var values = MetricReading.Take(meters);
        Assert.Equal([1], values.PerNode(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(1, values.Single(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(
            ["numasharp.feature, numasharp.node.id", "numasharp.feature"],
            values.AttributesOf(NumaTelemetry.PolicyActiveFallbacks));

        fallbacks.Withdraw("memory.bind");
        values = MetricReading.Take(meters);
        Assert.Equal([0], values.PerNode(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(1, values.Single(NumaTelemetry.PolicyActiveFallbacks));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_Fallbacks_AreCountedWithRepeats()
    {
        using var host = NumaHost.Create(_platform);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        var values = MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>());
        Assert.Equal(2, values.Single(NumaTelemetry.PolicyFallbacks));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_TelemetryOff_DoesNotExist()
    {
        using var host = NumaHost.Create(_platform, ("Telemetry:Enabled", "false"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        Assert.Empty(MetricReading.Take(host.Services.GetRequiredService<IMeterFactory>()).Instruments);
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Meter_AfterTheHostIsGone_IsSilent()
    {
        IMeterFactory meters;
        using (var host = NumaHost.Create(_platform))
        {
            await host.StartAsync(TestContext.Current.CancellationToken);
            meters = host.Services.GetRequiredService<IMeterFactory>();
            await host.StopAsync(TestContext.Current.CancellationToken);
        }

        Assert.Empty(MetricReading.Take(meters).Instruments);
    }
}
