using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolsTests
{
    private readonly FaultyMemoryProvider _memory = new();

    [Fact]
    public void Constructor_TwoNodes_OnePoolPerNodeWithThePlansMemory()
    {
        using var pools = Create(NumaPlan.Create(TestMachines.WithIds(0, 2).Read()));
        using var block = pools[1].RentBlock();

        Assert.Equal(2, pools.Count);
        Assert.Equal((2, 2), (pools[1].NodeId, pools[1].MemoryNodeId));
        Assert.Equal([NumaPlacement.Prefer(2)], _memory.Placements);
    }

    [Fact]
    public void ForNode_KnownAndUnknown_GivesThePoolOrTheNearest()
    {
        using var pools = Create(NumaPlan.Create(TestMachines.WithIds(0, 2).Read()));

        Assert.Same(pools[1], pools.ForNode(2));
        Assert.Same(pools[1], pools.ForNode(7));
        Assert.Same(pools[0], pools.ForNode(0));
    }

    [Fact]
    public void Current_ThreadOnEachNode_IsThatNodesPool()
    {
        var affinity = new ThreadOnNode();
        var plan = NumaPlan.Create(TestMachines.WithIds(0, 2).Read());
        using var pools = new NumaMemoryPools(plan, new NumaMemoryPoolsOptions { Memory = _memory, Affinity = affinity });
        TestThreads.Run(2, index =>
        {
            affinity.NodeId = 2 * index;
            Assert.Same(pools[index], pools.Current);
            pools.Apply(plan);
            Assert.Same(pools[index], pools.Current);
        });
    }

    [Fact]
    public void Indexer_OutsideThePlan_Throws()
    {
        using var pools = Create(NumaPlan.Create(TestMachines.WithIds(0, 2).Read()));

        Assert.Throws<ArgumentOutOfRangeException>(() => pools[2]);
        Assert.Throws<ArgumentOutOfRangeException>(() => pools[-1]);
    }

    [Fact]
    public void Constructor_PlanDisabled_OneUnboundPool()
    {
        using var pools = Create(NumaPlan.Create(TestMachines.WithIds(0, 2).Read(), new NumaPlanRequest { Enabled = false }));
        using var block = pools[0].RentBlock();

        Assert.Equal(1, pools.Count);
        Assert.Empty(_memory.Placements);
    }

    [Fact]
    public void TrimAndDispose_AllPools_GiveEverythingBack()
    {
        var pools = Create(NumaPlan.Create(TestMachines.WithIds(0, 2).Read()));
        pools[0].RentBlock().Dispose();
        var late = pools[1].RentBlock();

        Assert.True(pools.Trim() > 0);
        pools.Dispose();
        late.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    private NumaMemoryPools Create(NumaPlan plan) => new(plan, new NumaMemoryPoolsOptions { Memory = _memory });
}
