using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Pools and allocator of a machine whose memory nodes come and go.</summary>
public sealed class MemoryPlacementTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.Row(4, 4));
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaPlan _plan;

    public MemoryPlacementTests() => _plan = NumaPlan.Create(_machine.Platform.Topology.Read());

    private NumaPlan WithoutNode1 => _plan.Adapt(Machine("0-7", "0")).Plan;

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Pools_MemoryNodeGoesAndComesBack_NewMemoryFollowsAndBlocksStay()
    {
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        before.GetSpan().Fill(7);
        pools.Apply(WithoutNode1);
        Assert.Equal((1, 0), (pools[1].NodeId.Value, pools[1].MemoryNodeId.Value));

        // The slab that has room left, and the next one.
        using var large = pools[1].RentBlock(1 << 20);
        Assert.Equal(
            [NumaPlacement.Prefer(new(1)), NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0))], _machine.Placements());
        Assert.All(before.GetSpan().ToArray(), static value => Assert.Equal(7, value));

        pools.Apply(_plan);
        Assert.Equal(1, pools[1].MemoryNodeId.Value);
        Assert.Equal([NumaPlacement.Prefer(new(1)), NumaPlacement.Prefer(new(1))], _machine.Placements()[^2..]);
        Assert.Equal(0, pools[0].MemoryNodeId.Value);
    }

    [Fact]
    public void Pools_SameMemoryNodes_BindNothingAgain()
    {
        using var pools = CreatePools(_plan);
        using var block = pools[1].RentBlock();
        pools.Apply(_plan.Adapt(Machine("0-3", "0-1")).Plan);
        Assert.Single(_machine.Placements());
    }

    [Fact]
    public void Pools_StrictAndNewNodeRefused_IsReportedAndBlocksStay()
    {
        var plan = NumaPlan.Create(_plan.Topology, new NumaPlanRequest { BindMode = NumaBindMode.Strict });
        using var pools = CreatePools(plan);
        using var before = pools[1].RentBlock();
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EINVAL));
        pools.Apply(plan.Adapt(Machine("0-7", "0")).Plan);

        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("memory.bind", 1), (fallback.Feature, fallback.NodeId?.Value));
        Assert.Contains("could not be bound to node 0 (mbind: EINVAL)", fallback.Message, StringComparison.Ordinal);
        using var after = pools[1].RentBlock();
        after.GetSpan().Fill(1);
        Assert.Throws<NumaException>(() => pools[1].RentBlock(1 << 20));
    }

    [Fact]
    public void Pools_NodeRefusedBecauseItHasGone_BindToTheNextOne()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EINVAL) { NodeId = new(1) });
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        using var after = pools[1].RentBlock(1 << 20);
        Assert.Equal(
            [NumaPlacement.Prefer(new(1)), NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0))], _machine.Placements());
    }

    [Fact]
    public unsafe void Owners_RefusedAndLaterBound_TheReportHoldsUntilAllAre()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EINVAL) { NodeId = new(1) });
        var over = new CallLog<NumaFallback>();
        _fallbacks.Withdrawn += (_, fallback) => over.Add(fallback);
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        using var allocator = CreateAllocator();
        allocator.Free(allocator.Allocate(64, new(1)));
        Assert.Equal(("memory.bind", 1), (Assert.Single(_fallbacks.Current).Feature, _fallbacks.Current[0].NodeId?.Value));

        pools.Apply(WithoutNode1);
        Assert.Single(_fallbacks.Current);
        Assert.Empty(over);
        allocator.Apply(WithoutNode1);
        Assert.Empty(_fallbacks.Current);
        Assert.Equal("memory.bind", Assert.Single(over).Feature);

        // It may be refused again, and is reported again.
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
        _machine.ClearCalls();
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EINVAL) { Times = 1 });
        pools.Apply(plan.Adapt(Machine("0-7", "0")).Plan);

        Assert.Equal(2, _machine.GetCallCount(SimulatedOperation.Bind));
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Pools_EveryNodeRefused_TouchMemoryFirstWhileSeveralNodesHaveSome()
    {
        _machine.Inject(new SimulatedFault(SimulatedOperation.Bind, SimulatedError.EPERM));
        using var pools = CreatePools(_plan);
        using var before = pools[1].RentBlock();
        pools.Apply(WithoutNode1);
        Assert.Equal([NumaPlacement.Prefer(new(1)), NumaPlacement.Prefer(new(0))], _machine.Placements());
        _machine.ClearCalls();
        using var after = pools[1].RentBlock(1 << 20);

        Assert.Empty(_machine.Placements());
        Assert.Empty(Pinned);
        pools.Apply(_plan);
        using var back = pools[1].RentBlock(1 << 20);
        Assert.Equal(["4-7"], Pinned.Distinct());
        Assert.Equal(("memory.bind", 1), (_fallbacks.Current[0].Feature, _fallbacks.Current[0].NodeId?.Value));
    }

    [Fact]
    public void Pools_FirstTouch_FollowsTheCpus()
    {
        var plan = NumaPlan.Create(_plan.Topology, new NumaPlanRequest { BindMode = NumaBindMode.None });
        using var pools = CreatePools(plan);
        pools.Apply(plan.Adapt(Machine("0-5", "0-1")).Plan);
        using var block = pools[1].RentBlock();
        Assert.Contains("4-5", Pinned);
    }

    [Fact]
    public void Pools_Disposed_OnlyTakeNote()
    {
        var pools = CreatePools(_plan);
        pools.Dispose();
        pools.Apply(WithoutNode1);
        Assert.Empty(_machine.Placements());
        Assert.Throws<ArgumentException>(() => pools.Apply(TestMachines.Row(2).Plan()));
    }

    [Fact]
    public unsafe void Allocator_MemoryNodeGoes_NewMemoryFollowsAndBlocksStay()
    {
        using var allocator = CreateAllocator();
        var before = allocator.Allocate(64, new(1));
        *(int*)before = 7;
        allocator.Apply(WithoutNode1);
        var large = allocator.Allocate(1 << 20, new(1));

        Assert.Equal(
            [NumaPlacement.Prefer(new(1)), NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0))], _machine.Placements());
        Assert.Equal((7, 1), (*(int*)before, allocator.GetNodeId(before).Value));
        allocator.Free(before);
        allocator.Free(large);
        Assert.Equal(0, allocator.AllocatedBytes);
        Assert.Throws<ArgumentException>(() => allocator.Apply(TestMachines.Row(2).Plan()));
    }

    [Fact]
    public unsafe void Allocator_MemoryNodeGoes_FreeChunksComeFromTheNewOne()
    {
        using var allocator = CreateAllocator();
        var blocks = Enumerable.Range(0, 2000).Select(_ => (nint)allocator.Allocate(4096, new(1))).ToList();
        blocks.ForEach(block => allocator.Free((void*)block));
        Assert.True(_machine.GetUsedBytes(new(1)) >= 2000 * 4096);
        allocator.Apply(WithoutNode1);

        // This thread keeps a block.
        Assert.InRange(_machine.GetUsedBytes(new(1)), 0, 1 << 20);
        blocks = [.. Enumerable.Range(0, 2000).Select(_ => (nint)allocator.Allocate(4096, new(1)))];
        Assert.True(_machine.GetUsedBytes(new(0)) >= 1700 * 4096);
        Assert.Equal(allocator.CommittedBytes, _machine.GetUsedBytes(new(0)) + _machine.GetUsedBytes(new(1)));
        blocks.ForEach(block => allocator.Free((void*)block));
    }

    [Fact]
    public void Allocator_CallerRunsOnAnotherNodesCpus_AllocatesThere() => TestThreads.Run(() =>
    {
        _machine.Platform.Affinity.SetThreadCpus(CpuSet.FromIds(5)).ThrowIfFailed("pin");
        using var allocator = CreateAllocator();
        allocator.Apply(_plan.Adapt(Machine("4-7", "0-1")).Plan);
        unsafe
        {
            var block = allocator.Allocate(64);
            Assert.Equal(1, allocator.GetNodeId(block).Value);
            allocator.Free(block);
        }
    });

    // Row(4, 4) without the rest.
    private static NumaTopology Machine(string cpus, string memoryNodes)
    {
        var options = TestMachines.Row(4, 4);
        (options.AllowedCpus, options.AllowedNodes) = (CpuSet.ParseList(cpus), CpuSet.ParseList(memoryNodes));
        return options.Read();
    }

    private IEnumerable<string> Pinned => _machine.Calls
        .Where(static call => call.Operation == SimulatedOperation.SetThreadCpus)
        .Select(static call => call.Cpus.ToString());

    private NumaMemoryPools CreatePools(NumaPlan plan) => new(plan, new NumaMemoryPoolsOptions
    {
        Memory = _machine.Platform.Memory,
        Affinity = _machine.Platform.Affinity,
        Fallbacks = _fallbacks,
    });

    private NumaAllocator CreateAllocator() => new(_plan, new NumaAllocatorOptions
    {
        Memory = _machine.Platform.Memory,
        Affinity = _machine.Platform.Affinity,
        Fallbacks = _fallbacks,
    });
}
