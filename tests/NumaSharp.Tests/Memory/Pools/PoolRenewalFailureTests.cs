using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Providers that throw while the memory of a pool moves to other nodes.</summary>
public sealed class PoolRenewalFailureTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));
    private readonly FaultyMemoryProvider _memory = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly ManualTime _time = new();
    private readonly NumaMemoryPools _pools;
    private readonly NumaPlan _withoutNode1;

    // Three slabs, all blocks of which are free.
    public PoolRenewalFailureTests()
    {
        var plan = NumaPlan.Create(_machine.Platform.Topology.Read());
        _withoutNode1 = plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan;
        _pools = new NumaMemoryPools(plan, new NumaMemoryPoolsOptions
        {
            Memory = _memory,
            Affinity = _machine.Platform.Affinity,
            Fallbacks = _fallbacks,
            Time = _time,
        });
        var blocks = Enumerable.Range(0, 1200).Select(_ => _pools[1].RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());
    }

    public void Dispose()
    {
        _pools.Dispose();
        _machine.Dispose();
    }

    [Fact]
    public void Apply_AdviceThrows_PagesFollowAtTheNextTick()
    {
        _memory.OnAdvising = static (_, _, _) => throw new InvalidOperationException("No.");
        Assert.Throws<InvalidOperationException>(() => _pools.Apply(_withoutNode1));
        Assert.Equal(TimeSpan.FromSeconds(1), _time.Interval);
        var advised = 0L;
        _memory.OnAdvising = (_, size, _) => advised += (long)size;
        _time.Tick();

        Assert.Equal(_pools[1].CommittedBytes, advised);
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
    }

    [Fact]
    public void Tick_AdviceThrows_IsReportedAndTriedAgain()
    {
        _memory.OnAdvising = static (_, _, _) => throw new InvalidOperationException("No.");
        Assert.Throws<InvalidOperationException>(() => _pools.Apply(_withoutNode1));
        _time.Tick();
        Assert.Equal("memory.release", Assert.Single(_fallbacks.Current).Feature);
        Assert.Equal(TimeSpan.FromSeconds(2), _time.Interval);

        _memory.OnAdvising = static (_, _, _) => { };
        _time.Tick();
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
    }

    [Fact]
    public void Apply_BindThrowsInTheMiddle_TheNextCallBindsAllAgain()
    {
        var asked = 0;
        _memory.OnBind = () => ++asked == 2 ? throw new InvalidOperationException("No.") : NumaResult.Success;
        Assert.Throws<InvalidOperationException>(() => _pools.Apply(_withoutNode1));
        var advised = 0L;
        _memory.OnAdvising = (_, size, _) => advised += (long)size;
        _pools.Apply(_withoutNode1);

        // Each of the three slabs once.
        Assert.Equal((2 + 3, _pools[1].CommittedBytes), (asked, advised));
        _pools.Apply(_withoutNode1);
        Assert.Equal(5, asked);
    }
}
