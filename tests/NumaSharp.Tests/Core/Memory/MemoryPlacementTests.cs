using NumaSharp.Core;
using NumaSharp.Tests.Core.Planning;
using NumaSharp.Tests.Scheduling;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Pools and allocator of a machine whose memory nodes come and go.</summary>
public sealed class MemoryPlacementTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly FakeAffinity _affinity = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaPlan _plan = NumaPlan.Create(ChangingMachine.Read("0-7", "0-1"));

    private NumaPlan WithoutNode1 => _plan.Adapt(ChangingMachine.Read("0-7", "0")).Plan;

    [Fact]
    public void Pools_MemoryNodeGoesAndComesBack_NewMemoryFollowsAndBlocksStay()
    {
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        before.GetSpan().Fill(7);
        pools.Apply(WithoutNode1);
        Assert.Equal((1, 0), (pools[1].NodeId, pools[1].MemoryNodeId));

        // The slab that has room left, and the next one.
        using var large = pools[1].RentBlock(1 << 20);
        Assert.Equal(
            [NumaPlacement.Prefer(1), NumaPlacement.Prefer(0), NumaPlacement.Prefer(0)], _memory.Placements);
        Assert.All(before.GetSpan().ToArray(), static value => Assert.Equal(7, value));

        pools.Apply(_plan);
        Assert.Equal(1, pools[1].MemoryNodeId);
        Assert.Equal([NumaPlacement.Prefer(1), NumaPlacement.Prefer(1)], _memory.Placements[^2..]);
        Assert.Equal(0, pools[0].MemoryNodeId);
    }

    [Fact]
    public void Pools_SameMemoryNodes_BindNothingAnew()
    {
        using var pools = CreatePools(_plan);
        using var block = pools[1].RentBlock();
        pools.Apply(_plan.Adapt(ChangingMachine.Read("0-3", "0-1")).Plan);
        Assert.Single(_memory.Placements);
    }

    [Fact]
    public void Pools_StrictAndNewNodeRefused_IsReportedAndBlocksStay()
    {
        var plan = NumaPlan.Create(_plan.Topology, new NumaPlanRequest { BindMode = NumaBindMode.Strict });
        using var pools = CreatePools(plan);
        using var before = pools[1].RentBlock();
        _memory.OnBind = static () => FaultyMemoryProvider.Invalid;
        pools.Apply(plan.Adapt(ChangingMachine.Read("0-7", "0")).Plan);

        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("memory.bind", 1), (fallback.Feature, fallback.NodeId));
        Assert.Contains("refuses node 0", fallback.Message, StringComparison.Ordinal);
        using var after = pools[1].RentBlock();
        after.GetSpan().Fill(1);
        Assert.Throws<NumaException>(() => pools[1].RentBlock(1 << 20));
    }

    [Fact]
    public void Pools_NodeRefusedBecauseItHasGone_BindToTheNextOne()
    {
        _memory.OnPlace = static placement =>
            placement.Nodes.Contains(1) ? FaultyMemoryProvider.Invalid : NumaResult.Success;
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        using var after = pools[1].RentBlock(1 << 20);
        Assert.Equal([NumaPlacement.Prefer(1), NumaPlacement.Prefer(0), NumaPlacement.Prefer(0)], _memory.Placements);
    }

    [Fact]
    public unsafe void Owners_RefusedAndLaterBound_TheReportHoldsUntilAllAre()
    {
        _memory.OnPlace = static placement =>
            placement.Nodes.Contains(1) ? FaultyMemoryProvider.Invalid : NumaResult.Success;
        var over = new List<NumaFallback>();
        _fallbacks.Withdrawn += over.Add;
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        using var allocator = new NumaAllocator(
            _plan, new NumaAllocatorOptions { Memory = _memory, Affinity = _affinity, Fallbacks = _fallbacks });
        allocator.Free(allocator.Allocate(64, 1));
        Assert.Equal(("memory.bind", 1), (Assert.Single(_fallbacks.Current).Feature, _fallbacks.Current[0].NodeId));

        pools.Apply(WithoutNode1);
        Assert.Single(_fallbacks.Current);
        Assert.Empty(over);
        allocator.Apply(WithoutNode1);
        Assert.Empty(_fallbacks.Current);
        Assert.Equal("memory.bind", Assert.Single(over).Feature);

        // It may be refused again, and is said again.
        pools.Apply(_plan);
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Pools_OneSlabOfTwoRefused_TheReportHolds()
    {
        var plan = NumaPlan.Create(_plan.Topology, new NumaPlanRequest { BindMode = NumaBindMode.Strict });
        using var pools = CreatePools(plan);
        using var first = pools[1].RentBlock();
        using var second = pools[1].RentBlock(1 << 20);
        var asked = 0;
        _memory.OnBind = () => asked++ == 0 ? FaultyMemoryProvider.Invalid : NumaResult.Success;
        pools.Apply(plan.Adapt(ChangingMachine.Read("0-7", "0")).Plan);

        Assert.Equal(2, asked);
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Pools_EveryNodeRefused_GoOnTouchingMemoryFirst()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        _affinity.Pinned.Clear();
        using var after = pools[1].RentBlock(1 << 20);

        Assert.Equal([NumaPlacement.Prefer(1), NumaPlacement.Prefer(0)], _memory.Placements);
        Assert.Equal("0-3", Assert.Single(_affinity.Pinned.Values).ToString());
        Assert.Equal(("memory.bind", 1), (_fallbacks.Current[0].Feature, _fallbacks.Current[0].NodeId));
    }

    [Fact]
    public void Pools_FirstTouch_FollowsTheCpus()
    {
        var plan = NumaPlan.Create(_plan.Topology, new NumaPlanRequest { BindMode = NumaBindMode.None });
        using var pools = CreatePools(plan);
        pools.Apply(plan.Adapt(ChangingMachine.Read("0-5", "0-1")).Plan);
        using var block = pools[1].RentBlock();
        Assert.Contains(_affinity.Pinned.Values, static cpus => cpus.ToString() == "4-5");
    }

    [Fact]
    public void Pools_Disposed_OnlyTakeNote()
    {
        var pools = CreatePools(_plan);
        pools.Dispose();
        pools.Apply(WithoutNode1);
        Assert.Empty(_memory.Placements);
        Assert.Throws<ArgumentException>(() => pools.Apply(TestMachine.Plan(2)));
    }

    [Fact]
    public unsafe void Allocator_MemoryNodeGoes_NewMemoryFollowsAndBlocksStay()
    {
        using var allocator = new NumaAllocator(
            _plan, new NumaAllocatorOptions { Memory = _memory, Affinity = _affinity, Fallbacks = _fallbacks });
        var before = allocator.Allocate(64, 1);
        *(int*)before = 7;
        allocator.Apply(WithoutNode1);
        var large = allocator.Allocate(1 << 20, 1);

        Assert.Equal([NumaPlacement.Prefer(1), NumaPlacement.Prefer(0), NumaPlacement.Prefer(0)], _memory.Placements);
        Assert.Equal((7, 1), (*(int*)before, allocator.GetNodeId(before)));
        allocator.Free(before);
        allocator.Free(large);
        Assert.Equal(0, allocator.AllocatedBytes);
        Assert.Throws<ArgumentException>(() => allocator.Apply(TestMachine.Plan(2)));
    }

    [Fact]
    public unsafe void Allocator_CallerRunsOnAnotherNodesCpus_AllocatesThere()
    {
        using var allocator = new NumaAllocator(
            _plan, new NumaAllocatorOptions { Memory = _memory, Affinity = _affinity, Fallbacks = _fallbacks });
        _affinity.CurrentCpu = 5;
        allocator.Apply(_plan.Adapt(ChangingMachine.Read("4-7", "0-1")).Plan);
        var block = allocator.Allocate(64);
        Assert.Equal(1, allocator.GetNodeId(block));
        allocator.Free(block);
    }

    private NumaMemoryPools CreatePools(NumaPlan plan) => new(
        plan, new NumaMemoryPoolsOptions { Memory = _memory, Affinity = _affinity, Fallbacks = _fallbacks });
}
