using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NSubstitute;
using NSubstitute.ExceptionExtensions;
using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Providers that throw where a contract says that they answer.</summary>
public sealed class BrokenProviderTests
{
    private readonly SimulatedMachine _machine = NumaHost.TwoNodes();

    [Fact]
    public async Task Start_MemoryThrows_EndsWithItsKey()
    {
        var memory = new FaultyMemoryProvider
        {
            OnReserve = static () => throw new InvalidTimeZoneException("broken plugin"),
        };
        using var host = HostWith(memory, _machine.Platform.Affinity);
        var failure = await Assert.ThrowsAnyAsync<OptionsValidationException>(
            () => host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal(
            "Numa:Memory:Provider = 'Faulty': must not throw; it failed with InvalidTimeZoneException: broken plugin",
            Assert.Single(failure.Failures));
    }

    [Fact]
    public async Task Start_AffinityThrowsInEveryCall_ServesAndSaysSo()
    {
        // Not a FakeAffinity, which always reads its masks.
        var affinity = Substitute.For<INumaAffinityProvider>();
        affinity.Name.Returns("Mine");
        affinity.GetThreadCpus(out Arg.Any<CpuSet>()).ThrowsForAnyArgs(new InvalidTimeZoneException("broken plugin"));
        affinity.SetThreadCpus(CpuSet.Empty).ThrowsForAnyArgs(new InvalidTimeZoneException("broken plugin"));
        affinity.GetCurrent(out Arg.Any<int>(), out Arg.Any<NumaNodeId>())
            .ThrowsForAnyArgs(new InvalidTimeZoneException("broken plugin"));
        using var host = HostWith(_machine.Platform.Memory, affinity);
        await host.StartAsync(TestContext.Current.CancellationToken);
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        Assert.Equal(7, await scheduler.RunOnNode(1, static () => 7));
        Assert.Equal(8, await Task.Factory.StartNew(
            static () => 8, TestContext.Current.CancellationToken, TaskCreationOptions.None, scheduler));
        AllocateHere(host.Services.GetRequiredService<NumaAllocator>());
        Assert.Contains(host.Services.GetRequiredService<NumaFallbacks>().Current, static fallback =>
            fallback.Feature == "affinity.pin" && fallback.Message.Contains("broken plugin", StringComparison.Ordinal));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static unsafe void AllocateHere(NumaAllocator allocator) => allocator.Free(allocator.Allocate(64));

    private IHost HostWith(INumaMemoryProvider memory, INumaAffinityProvider affinity)
    {
        var builder = NumaHost.CreateBuilder(("Scheduler:ThreadsPerNode", "1"));
        builder.AddNuma(numa => numa.UsePlatform(new NumaPlatform(_machine.Platform.Topology, memory, affinity)));
        return builder.Build();
    }
}
