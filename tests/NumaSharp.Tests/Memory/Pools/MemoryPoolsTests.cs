using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolsTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.WithIds(0, 2));
    private readonly NumaPlan _plan;

    public MemoryPoolsTests() => _plan = NumaPlan.Create(_machine.Platform.Topology.Read());

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Constructor_TwoNodes_OnePoolPerNodeWithThePlansMemory()
    {
        using var pools = Create(_plan);
        using var block = pools[1].RentBlock();

        Assert.Equal(2, pools.Count);
        Assert.Equal((2, 2), (pools[1].NodeId.Value, pools[1].MemoryNodeId.Value));
        Assert.Equal([NumaPlacement.Prefer(new(2))], _machine.Placements());
    }

    [Fact]
    public void Constructor_OfTheSecondPoolThrows_TheFirstIsDisposedOf()
    {
        var time = new ManualTime { MaxTimers = 1 };
        var options = new NumaMemoryPoolsOptions
        {
            Memory = _machine.Platform.Memory,
            Affinity = _machine.Platform.Affinity,
            Time = time,
            TrimAfter = TimeSpan.FromSeconds(1),
        };

        Assert.Throws<OutOfMemoryException>(() => new NumaMemoryPools(_plan, options));

        Assert.Equal(0, time.TimerCount);
        time.MaxTimers = 2;
        using var pools = new NumaMemoryPools(_plan, options);
        Assert.Equal(2, time.TimerCount);
    }

    [Fact]
    public void Constructor_OptionsOfPools_AreThoseOfEach()
    {
        using var pools = new NumaMemoryPools(_plan, new NumaMemoryPoolsOptions
        {
            BlockSize = 128,
            LimitPerNode = 4 << 20,
            ZeroOnReturn = true,
            ArrayBacked = true,
            Checks = NumaMemoryChecks.Hardened,
            Memory = _machine.Platform.Memory,
            Affinity = _machine.Platform.Affinity,
        });

        for (var i = 0; i < 2; i++)
        {
            Assert.Equal((128, 4L << 20), (pools[i].BlockSize, pools[i].LimitBytes));
            Assert.Equal((true, true), (pools[i].ClearsBlocks, pools[i].IsArrayBacked));
            var block = pools[i].RentBlock();
            block.Dispose();
            Assert.Throws<ObjectDisposedException>(() => block.Memory);
        }
    }

    [Fact]
    public void ForNode_KnownAndUnknown_GivesThePoolOrTheNearest()
    {
        using var pools = Create(_plan);

        Assert.Same(pools[1], pools.ForNode(new(2)));
        Assert.Same(pools[1], pools.ForNode(new(7)));
        Assert.Same(pools[0], pools.ForNode(new(0)));
    }

    [Fact]
    public void Current_ThreadOnEachNode_IsThatNodesPool()
    {
        using var pools = Create(_plan);
        TestThreads.Run(2, index =>
        {
            _machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(2 * index)).ThrowIfFailed("pin");
            Assert.Same(pools[index], pools.Current);
            pools.Apply(_plan);
            Assert.Same(pools[index], pools.Current);
        });
    }

    [Fact]
    public void Indexer_OutsideThePlan_Throws()
    {
        using var pools = Create(_plan);

        Assert.Throws<ArgumentOutOfRangeException>(() => pools[2]);
        Assert.Throws<ArgumentOutOfRangeException>(() => pools[-1]);
    }

    [Fact]
    public void Constructor_PlanDisabled_OneUnboundPool()
    {
        using var pools = Create(NumaPlan.Create(_plan.Topology, new NumaPlanRequest { Enabled = false }));
        using var block = pools[0].RentBlock();

        Assert.Equal(1, pools.Count);
        Assert.Empty(_machine.Placements());
    }

    [Fact]
    public void TrimAndDispose_AllPools_GiveEverythingBack()
    {
        var pools = Create(_plan);
        pools[0].RentBlock().Dispose();
        var late = pools[1].RentBlock();

        Assert.True(pools.Trim() > 0);
        pools.Dispose();
        late.Dispose();
        Assert.Equal(0, _machine.ReservedBytes);
    }

    private NumaMemoryPools Create(NumaPlan plan) => new(
        plan, new NumaMemoryPoolsOptions { Memory = _machine.Platform.Memory, Affinity = _machine.Platform.Affinity });
}
