using NumaSharp.Core;
using NumaSharp.GuestProbe;
using NumaSharp.GuestTests.Support;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.GuestTests.Core.Memory;

/// <summary>Pools are filled on threads of other nodes: only their binding can have put pages where they belong.</summary>
public sealed unsafe class PoolPlacementTests : ThreeNodeTests
{
    // An ordinary block, a larger class, a mapping of its own.
    private static readonly int[] s_sizes = [4096, 100_000, 3_000_000];

    private readonly NumaFallbacks _fallbacks = new();

    public static TheoryData<NumaBindMode, int, string> BoundPools => new()
    {
        { NumaBindMode.Advisory, 0, "prefer:0" },
        { NumaBindMode.Advisory, 1, "prefer:1" },
        { NumaBindMode.Advisory, 2, "prefer:2" },
        { NumaBindMode.Strict, 0, "bind:0" },
        { NumaBindMode.Strict, 1, "bind:1" },
        { NumaBindMode.Strict, 2, "bind:2" },
    };

    [Theory]
    [MemberData(nameof(BoundPools))]
    public void Rent_BoundPoolOnAThreadOfAnotherNode_EveryPageIsOnThePoolsNode(NumaBindMode mode, int node, string policy)
    {
        using var pool = Create(mode, node);
        TestThreads.RunOn(TheMachine.CpusFarFrom(node), () =>
        {
            foreach (var size in s_sizes)
            {
                using var block = pool.RentBlock(size);
                block.GetSpan().Fill(1);
                Pages.AssertOn(node, (nint)block.Pointer, block.Length);
                var mapping = NumaMapping.Of((nint)block.Pointer);
                Assert.Equal((policy, node), (mapping.Policy, Assert.Single(mapping.PagesByNode).Key));
            }
        });
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [MemberData(nameof(BoundPools))]
    public void Preallocate_BoundPoolOnAThreadOfAnotherNode_PagesAreThereBeforeTheyAreUsed(
        NumaBindMode mode, int node, string policy)
    {
        using var pool = Create(mode, node);
        TestThreads.RunOn(TheMachine.CpusFarFrom(node), () =>
        {
            pool.Preallocate(3 << 20);
            var blocks = Enumerable.Range(0, 700).Select(_ => pool.RentBlock()).ToList();
            Assert.All(blocks, block => Pages.AssertOn(node, (nint)block.Pointer, block.Length));
            Assert.Equal(policy, NumaMapping.Of((nint)blocks[0].Pointer).Policy);
            blocks.ForEach(static block => block.Dispose());
        });
        Assert.Empty(_fallbacks.Current);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Rent_UnboundPool_APinnedThreadHasTouchedThePagesFirst(int node)
    {
        using var pool = Create(NumaBindMode.None, node, TheMachine.CpusOf(node));
        TestThreads.RunOn(TheMachine.CpusFarFrom(node), () =>
        {
            using var block = pool.RentBlock(100_000);
            block.GetSpan().Fill(1);
            Pages.AssertOn(node, (nint)block.Pointer, block.Length);
            Assert.Equal("default", NumaMapping.Of((nint)block.Pointer).Policy);
        });
    }

    [Fact]
    public void Rent_UnboundPoolWithoutFirstTouch_PagesComeFromTheRentersNode()
    {
        using var pool = Create(NumaBindMode.None, 0);
        TestThreads.RunOn(TheMachine.CpusOf(1), () =>
        {
            using var block = pool.RentBlock(100_000);
            block.GetSpan().Fill(1);
            Pages.AssertOn(1, (nint)block.Pointer, block.Length);
        });
    }

    [Fact]
    public void Trim_ThenRentAgain_NewPagesAreOnThePoolsNodeToo()
    {
        using var pool = Create(NumaBindMode.Advisory, 1);
        TestThreads.RunOn(TheMachine.CpusOf(0), () =>
        {
            var blocks = Enumerable.Range(0, 40).Select(_ => pool.RentBlock(500_000)).ToList();
            blocks.ForEach(static block => block.GetSpan().Fill(1));
            blocks.ForEach(static block => block.Dispose());
            Assert.True(pool.Trim() > 0);
            using var again = pool.RentBlock(500_000);
            again.GetSpan().Fill(2);
            Pages.AssertOn(1, (nint)again.Pointer, again.Length);
        });
    }

    [Fact]
    public void Apply_MemoryOfAnotherNode_FreeBlocksAreOfItAndThoseInUseKeepTheirContent()
    {
        var plan = NumaPlan.Create(Machine("0-1"));
        using var pools = new NumaMemoryPools(plan, new NumaMemoryPoolsOptions { Fallbacks = _fallbacks });
        TestThreads.RunOn(TheMachine.CpusOf(1), () =>
        {
            var blocks = Enumerable.Range(0, 1000).Select(_ => pools[1].RentBlock()).ToList();
            blocks.ForEach(static block => block.GetSpan().Fill(1));
            Assert.All(blocks, static block => Pages.AssertOn(1, block));
            var kept = blocks[500];
            blocks.Remove(kept);
            blocks.ForEach(static block => block.Dispose());
            pools.Apply(plan.Adapt(Machine("0")).Plan);

            // All but those that share a page with the one in use.
            blocks = [.. Enumerable.Range(0, 999).Select(_ => pools[1].RentBlock())];
            blocks.ForEach(static block => block.GetSpan().Fill(2));
            var others = blocks.Where(block => Math.Abs((nint)block.Pointer - (nint)kept.Pointer) > 3 * Pages.Size).ToList();
            Assert.InRange(others.Count, 990, 999);
            Assert.All(others, static block => Pages.AssertOn(0, block));

            // Where it is, is the kernel's business: it may make a huge page of it and its neighbours (khugepaged).
            Assert.Equal(-1, kept.GetSpan().IndexOfAnyExcept((byte)1));
            blocks.ForEach(static block => block.Dispose());
            kept.Dispose();
        });
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Rent_StrictToANodeThatIsNotThere_NamesNodeAndError()
    {
        using var pool = Create(NumaBindMode.Strict, TheMachine.MissingNode);
        var exception = Assert.Throws<NumaException>(() => pool.RentBlock());
        Assert.Equal((TheMachine.MissingNode, "EINVAL"), (exception.NodeId?.Value, exception.Result?.ErrorName));
    }

    [Fact]
    public void Rent_AdvisoryToANodeThatIsNotThere_IsServedAndSaidOnce()
    {
        using var pool = Create(NumaBindMode.Advisory, TheMachine.MissingNode);
        using var one = pool.RentBlock();
        using var other = pool.RentBlock(3_000_000);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(
            ("memory.bind", TheMachine.MissingNode, 1), (fallback.Feature, fallback.NodeId?.Value, _fallbacks.ReportCount));
        Assert.Contains("EINVAL", fallback.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Constructor_QuickStartForANodeThatIsNotThere_TakesTheNearestAndSaysSo()
    {
        using var pool = new NumaMemoryPool(numaNodeId: TheMachine.MissingNode);
        using var owner = (NumaMemoryBlock)pool.Rent();
        owner.GetSpan().Fill(1);
        Assert.Contains(pool.MemoryNodeId.Value, TheMachine.Nodes);
        Pages.AssertOn(pool.MemoryNodeId.Value, (nint)owner.Pointer, owner.Length);
        Assert.Contains(NumaMemoryPool.DefaultFallbacks.Current, static fallback =>
            (fallback.Feature, fallback.NodeId?.Value) == ("memory.node", TheMachine.MissingNode));
    }

    // The guest's nodes with CPUs, as if the process might use the memory of these only.
    internal static NumaTopology Machine(string memoryNodes)
    {
        var options = new SimulatedMachineOptions
        {
            AllowedCpus = TheMachine.AllCpus,
            AllowedNodes = CpuSet.ParseList(memoryNodes),
        };
        foreach (var node in TheMachine.CpuNodes)
        {
            options.Nodes.Add(new SimulatedNodeOptions
            {
                NodeId = new(node),
                Cpus = TheMachine.CpusOf(node),
                MemoryBytes = TheMachine.MemoryOf(node),
            });
        }

        using var machine = new SimulatedMachine(options);
        return machine.Platform.Topology.Read();
    }

    private NumaMemoryPool Create(NumaBindMode mode, int node, CpuSet? firstTouch = null) => new(new NumaMemoryPoolOptions
    {
        NodeId = new(node),
        BindMode = mode,
        FirstTouchCpus = firstTouch,
        Fallbacks = _fallbacks,
    });
}
