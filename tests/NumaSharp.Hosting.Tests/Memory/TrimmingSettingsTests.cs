using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using NumaSharp.Core;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Hosting.Tests.Registration;

public sealed class TrimmingSettingsTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public void TrimAfter_Never_StartsNoTimer()
    {
        using var host = Create(("Memory:TrimAfter", "0"));
        Use(host);
        Assert.Equal(0, _time.TimerCount);
    }

    [Theory]
    [InlineData(null, 30)]
    [InlineData("90s", 90)]
    public void TrimAfter_Value_IsThatOfAllPoolsAndOfTheAllocator(string? value, int seconds)
    {
        using var host = Create(("Memory:TrimAfter", value));
        Use(host);

        // Two nodes with two pools each, and one allocator.
        Assert.Equal(Enumerable.Repeat(TimeSpan.FromSeconds(seconds), 5), _time.Changes);
    }

    [Theory]
    [InlineData("0", true)]
    [InlineData("1GiB", false)]
    public unsafe void KeepPerNode_WhenTimeHasPassed_IsWhatStays(string keep, bool isGivenBack)
    {
        using var host = Create(("Memory:TrimAfter", "1s"), ("Memory:KeepPerNode", keep));
        var (pool, servers, allocator) = Use(host);
        var blocks = Enumerable.Range(0, 1000).Select(_ => (Pool: pool.RentBlock(), Server: servers.RentBlock())).ToList();
        var memory = Enumerable.Range(0, 1000).Select(_ => (nint)allocator.Allocate(4000)).ToList();
        blocks.ForEach(static block =>
        {
            block.Pool.Dispose();
            block.Server.Dispose();
        });
        memory.ForEach(block => allocator.Free((void*)block));
        long[] before = [pool.CommittedBytes, servers.CommittedBytes, CommittedBytesOf(host)];
        PassFourIntervals();

        long[] after = [pool.CommittedBytes, servers.CommittedBytes, CommittedBytesOf(host)];
        Assert.All(before.Zip(after), pair => Assert.Equal(isGivenBack, pair.Second < pair.First));
    }

    [Fact]
    public async Task PoolSizePerNode_FromTheStart_IsThereAndStays()
    {
        const long Size = 8L << 20;
        using var host = Create(
            ("Memory:TrimAfter", "1s"), ("Memory:KeepPerNode", "0"), ("Memory:PoolSizePerNode", "8MiB"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        var pools = host.Services.GetRequiredService<NumaMemoryPools>();
        var started = CommittedBytesOf(pools);
        Assert.All(started, static bytes => Assert.InRange(bytes, Size, 2 * Size));

        PassFourIntervals();
        Assert.Equal(started, CommittedBytesOf(pools));

        // Whatever else is changed of it later.
        host.Services.GetRequiredService<HostPools>().SetTrimming(TimeSpan.FromSeconds(1), 0);
        PassFourIntervals();
        Assert.Equal(started, CommittedBytesOf(pools));
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    private static long[] CommittedBytesOf(NumaMemoryPools pools) => [pools[0].CommittedBytes, pools[1].CommittedBytes];

    private static long CommittedBytesOf(IHost host) =>
        host.Services.GetRequiredService<NumaAllocator>().GetStatistics(new(0)).CommittedBytes;

    private static (NumaMemoryPool Pool, NumaMemoryPool Servers, NumaNodeAllocator Allocator) Use(IHost host)
    {
        var factory = host.Services.GetRequiredService<CurrentNodePoolFactory>();
        factory.Create().Dispose();
        return (
            host.Services.GetRequiredService<NumaMemoryPools>()[0],
            factory.Pools![0],
            host.Services.GetRequiredService<NumaAllocator>().ForNode(new(0)));
    }

    private void PassFourIntervals()
    {
        for (var i = 0; i < 4; i++)
        {
            _time.Advance(TimeSpan.FromSeconds(1));
        }
    }

    private IHost Create(params (string Key, string? Value)[] settings)
    {
        var builder = NumaHost.CreateBuilder(
            [("Topology:Provider", SimulatedMachine.ProviderName), ("Binding:Mode", "None"), .. settings]);
        builder.Services.AddSingleton<TimeProvider>(_time);
        builder.AddNuma(static numa => numa.AddMachine(NumaHost.TwoNodes()));
        return builder.Build();
    }
}
