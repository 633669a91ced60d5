using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Telemetry;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Telemetry;

public sealed class NumaMetricsTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Fact]
    public async Task Meter_OfARunningHost_ShowsTheMachine()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        var values = host.Read();
        Assert.Equal(2, values.Single(NumaTelemetry.NodeCount));
        Assert.Equal(4, values.Single(NumaTelemetry.CpuAllowedCount));
        Assert.Equal([1L << 30, 1L << 30], values.PerNode(NumaTelemetry.NodeMemoryLimit));
        Assert.Equal(
            [_machine.GetUsedBytes(new(0)), _machine.GetUsedBytes(new(1))], values.PerNode(NumaTelemetry.NodeMemoryUsage));
        Assert.All(values.PerNode(NumaTelemetry.NodeMemoryUsage), static bytes => Assert.InRange(bytes, 1, 1L << 30));
        Assert.Equal(0, values.Single(NumaTelemetry.PolicyFallbacks));
        Assert.Empty(values.PerNode(NumaTelemetry.NodeManagedHeapUsage));
    }

    [Fact]
    public async Task Meter_OfTheRealMachine_HasTheManagedHeap()
    {
        Assert.SkipUnless(MetricsReference.HasManagedHeap, "Pages of the heap are not counted by node here.");
        GC.Collect();
        await using var host = await MeteredHost.StartAsync(NumaPlatform.Default);
        Assert.InRange(host.Read().PerNode(NumaTelemetry.NodeManagedHeapUsage).Sum(), 1L << 20, 1L << 36);
    }

    [Fact]
    public async Task Meter_ProviderWithStatistics_ShowsEachCounterOfEachNode()
    {
        var topology = ReadOnly();
        topology.ReadStatistics(Arg.Any<NumaNodeId>()).Returns(static call => call.Arg<NumaNodeId>().Value is var id
            ? new NumaNodeStatistics
            {
                MemoryBytes = 100,
                MemoryFreeBytes = 40,
                Hit = id + 10,
                Miss = id + 20,
                Foreign = id + 30,
                InterleaveHit = id + 40,
                Local = id + 50,
                Other = id + 60,
            }
            : null);
        await using var host = await MeteredHost.StartAsync(_machine.PlatformWith(topology));
        var values = host.Read();
        Assert.Equal([60, 60], values.PerNode(NumaTelemetry.NodeMemoryUsage));
        Assert.Equal([10, 11], values.PerNode(NumaTelemetry.NodeAllocationsHit));
        Assert.Equal([20, 21], values.PerNode(NumaTelemetry.NodeAllocationsMiss));
        Assert.Equal([30, 31], values.PerNode(NumaTelemetry.NodeAllocationsForeign));
        Assert.Equal([40, 41], values.PerNode(NumaTelemetry.NodeAllocationsInterleaveHit));
        Assert.Equal([50, 51], values.PerNode(NumaTelemetry.NodeAllocationsLocal));
        Assert.Equal([60, 61], values.PerNode(NumaTelemetry.NodeAllocationsOther));
    }

    [Fact]
    public async Task Meter_ProviderWithoutStatistics_HasNoCountersOfNodes()
    {
        await using var host = await MeteredHost.StartAsync(_machine.PlatformWith(ReadOnly()));
        var values = host.Read();
        Assert.Empty(values.PerNode(NumaTelemetry.NodeAllocationsHit));
    }

    [Fact]
    public async Task Meter_RentedBlocks_ShowOnTheirNode()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        using (host.Services.GetRequiredKeyedService<NumaMemoryPool>(1).Rent())
        {
            var values = host.Read();
            Assert.Equal([0, 4096], values.PerNode(NumaTelemetry.PoolRented));
            Assert.All(values.PerNode(NumaTelemetry.PoolCommitted), static bytes => Assert.True(bytes >= 4096));
        }

        Assert.Equal([0, 0], host.Read().PerNode(NumaTelemetry.PoolRented));
    }

    [Fact]
    public async Task Meter_FreeBlocks_ArePooledOnTheirNode()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        var pool = host.Services.GetRequiredKeyedService<NumaMemoryPool>(1);
        pool.Rent().Dispose();
        var before = host.Read().PerNode(NumaTelemetry.PoolPooled);
        using var block = pool.Rent();
        var after = host.Read().PerNode(NumaTelemetry.PoolPooled);

        Assert.Equal([before[0], before[1] - 4096], after);
    }

    [Fact]
    public async Task Meter_ForgottenBlock_IsCountedOnItsNodeAndDegradesNothing()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        Assert.Equal([0, 0], host.Read().PerNode(NumaTelemetry.PoolAbandoned));
        Forget(host.Services.GetRequiredKeyedService<NumaMemoryPool>(1));
        await Wait.UntilCollectedAsync(() => host.Read().PerNode(NumaTelemetry.PoolRented) is [0, 0]);

        Assert.Equal([0, 1], host.Read().PerNode(NumaTelemetry.PoolAbandoned));
        Assert.DoesNotContain(
            host.Services.GetRequiredService<NumaFallbacks>().Current,
            static fallback => fallback.Feature == "memory.abandoned");

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Forget(NumaMemoryPool pool) => pool.Rent();
    }

    [Fact]
    public async Task Meter_Allocator_ShowsNothingUntilItIsUsed()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        string[] names = [NumaTelemetry.AllocatorAllocated, NumaTelemetry.AllocatorCommitted, NumaTelemetry.AllocatorRemoteFrees];
        var before = host.Read();
        Assert.All(names, name => Assert.Equal([0, 0], before.PerNode(name)));

        var allocated = AllocateOnNode1(host.Services.GetRequiredService<NumaAllocator>());
        var values = host.Read();
        Assert.Equal([0, allocated], values.PerNode(NumaTelemetry.AllocatorAllocated));
        Assert.InRange(values.PerNode(NumaTelemetry.AllocatorCommitted)[1], allocated, 1L << 30);

        static unsafe long AllocateOnNode1(NumaAllocator allocator)
        {
            _ = allocator.Allocate(1000, new(1));
            return allocator.GetStatistics(new(1)).AllocatedBytes;
        }
    }

    [Fact]
    public async Task Meter_WorkOfANode_IsCountedThere()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform, ("Scheduler:Policy", "NodeStrict"));
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        var before = scheduler.GetExecuted(1);
        await scheduler.RunOnNode(1, static () => { }, TestContext.Current.CancellationToken);
        await host.StopAsync();
        scheduler.Dispose();
        var values = host.Read();
        Assert.True(values.PerNode(NumaTelemetry.SchedulerExecuted)[1] > before);
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerSteals));
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerQueueLength));
    }

    [Fact]
    public async Task Meter_Workers_ShowPlannedAndSpareOnesOfEachNode()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        var values = host.Read();
        Assert.Equal([2, 0, 2, 0], values.PerNode(NumaTelemetry.SchedulerWorkers));
        Assert.Equal([0, 0], values.PerNode(NumaTelemetry.SchedulerEscapes));
    }

    [Fact]
    public async Task Meter_ListenedHistogram_TellsTheWaitsOfANode()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform, ("Scheduler:Policy", "NodeStrict"));
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

        var (seconds, nodeId) = await seen.Task.Within();
        Assert.True(seconds >= 0);
        Assert.Equal(1, nodeId);
    }

    [Fact]
    public async Task Meter_ActiveFallbacks_HaveFeatureAndNodeAndAre0WhenOver()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
        Assert.Empty(host.Read().AttributesOf(NumaTelemetry.PolicyActiveFallbacks));

        fallbacks.Report(new NumaFallback("memory.bind", "Refused.", new(1)));
        fallbacks.Report(new NumaFallback("memory.bind", "Refused.", new(1)));
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        var values = host.Read();
        Assert.Equal([1], values.PerNode(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(1, values.Single(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(
            ["numasharp.feature, numasharp.node.id", "numasharp.feature"],
            values.AttributesOf(NumaTelemetry.PolicyActiveFallbacks));

        fallbacks.Withdraw("memory.bind");
        values = host.Read();
        Assert.Equal([0], values.PerNode(NumaTelemetry.PolicyActiveFallbacks));
        Assert.Equal(1, values.Single(NumaTelemetry.PolicyActiveFallbacks));
    }

    [Fact]
    public async Task Meter_Fallbacks_AreCountedWithRepeats()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform);
        var fallbacks = host.Services.GetRequiredService<NumaFallbacks>();
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        fallbacks.Report(new NumaFallback("affinity.pin", "Refused."));
        var values = host.Read();
        Assert.Equal(2, values.Single(NumaTelemetry.PolicyFallbacks));
    }

    [Fact]
    public async Task Meter_TelemetryOff_DoesNotExist()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform, ("Telemetry:Enabled", "false"));
        Assert.Empty(host.Read().Instruments);
    }

    // A listener is called while the instruments are made, and may wait for a thread that reads the settings again.
    [Fact]
    public async Task Meter_ListenerWaitsForItsEnd_EndsWhenAllOfItIsThere()
    {
        await using var host = await MeteredHost.StartAsync(_machine.Platform, ("Telemetry:Enabled", "false"));
        var metrics = host.Services.GetRequiredService<NumaMetrics>();
        var factory = host.Services.GetRequiredService<IMeterFactory>();
        var isFirst = true;
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, _) =>
        {
            if (ReferenceEquals(instrument.Meter.Scope, factory) && isFirst)
            {
                isFirst = false;
                TestThreads.Run(() => metrics.SetPublished(false));
            }
        };
        listener.Start();
        metrics.SetPublished(true);
        Assert.False(isFirst);
        Assert.Empty(host.Read().Instruments);

        metrics.SetPublished(true);
        Assert.NotEmpty(host.Read().Instruments);
    }

    [Fact]
    public async Task Meter_AfterTheHostIsGone_IsSilent()
    {
        MeteredHost host;
        await using (host = await MeteredHost.StartAsync(_machine.Platform))
        {
            Assert.NotEmpty(host.Read().Instruments);
        }

        Assert.Empty(host.Read().Instruments);
    }

    // A provider of the machine that has no statistics unless a test gives it some.
    private INumaTopologyProvider ReadOnly()
    {
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Name.Returns("Mine");
        topology.Read().Returns(_machine.Platform.Topology.Read());
        topology.ReadStatistics(Arg.Any<NumaNodeId>()).Returns((NumaNodeStatistics?)null);
        return topology;
    }
}
