using NSubstitute;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolBindingTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly INumaAffinityProvider _affinity = Substitute.For<INumaAffinityProvider>();

    [Fact]
    public void Advisory_Permitted_PrefersTheNodeAndReportsNothing()
    {
        using var pool = Create(NumaBindMode.Advisory, nodeId: 3);
        using var block = pool.RentBlock();

        Assert.Equal([NumaPlacement.Prefer(3)], _memory.Placements);
        Assert.Empty(_fallbacks.Current);
        _affinity.DidNotReceiveWithAnyArgs().SetThreadCpus(CpuSet.Empty);
    }

    [Fact]
    public void Strict_Permitted_BindsToTheMemoryNode()
    {
        using var pool = Create(NumaBindMode.Strict, nodeId: 3, memoryNodeId: 5);
        using var block = pool.RentBlock(9_000_000);

        Assert.Equal([NumaPlacement.Bind(5)], _memory.Placements);
        Assert.Equal(3, block.NodeId);
        Assert.Equal(5, pool.MemoryNodeId);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(9_000_000)]
    public void Strict_Refused_ThrowsWithNodeAndErrorAndLeaksNothing(int size)
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pool = Create(NumaBindMode.Strict, nodeId: 2);

        var exception = Assert.Throws<NumaException>(() => pool.Rent(size));
        Assert.Contains("node 2", exception.Message, StringComparison.Ordinal);
        Assert.Contains("EPERM", exception.Message, StringComparison.Ordinal);
        Assert.Equal(2, exception.NodeId);
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Advisory_Refused_TouchesFirstOnAPinnedThreadAndSaysSoOnce()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        var cpus = CpuSet.FromIds(0);
        using var pool = Create(NumaBindMode.Advisory, nodeId: 1, cpus: cpus);
        var touching = new List<int>();
        _affinity.SetThreadCpus(cpus).Returns(_ =>
        {
            touching.Add(Environment.CurrentManagedThreadId);
            return NumaResult.Success;
        });

        var blocks = Enumerable.Range(0, 2000).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());

        Assert.NotEmpty(touching);
        Assert.DoesNotContain(Environment.CurrentManagedThreadId, touching);
        Assert.Equal(_memory.CommitCount, touching.Count);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Equal(("memory.bind", 1), (fallback.Feature, fallback.NodeId));
        Assert.Contains("EPERM", fallback.Message, StringComparison.Ordinal);
        Assert.Equal(1, _fallbacks.Count);
        Assert.Single(_memory.Placements);
    }

    [Fact]
    public void Advisory_RefusedAndFirstTouch_PagesAreThereBeforeUse()
    {
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pool = Create(NumaBindMode.Advisory, cpus: NumaTopology.Instance.Nodes[0].Cpus);
        using var block = pool.RentBlock();

        unsafe
        {
            _memory.QueryNode((nint)block.Pointer, out var nodeId).ThrowIfFailed("move_pages");
            Assert.NotEqual(-1, nodeId);
        }
    }

    [Fact]
    public void Advisory_RefusedAndPinningRefused_StillWorksAndSaysBoth()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.Invalid;
        _affinity.SetThreadCpus(Arg.Any<CpuSet>()).Returns(FaultyMemoryProvider.Invalid);
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        Assert.Equal(["memory.bind", "memory.touch"], _fallbacks.Current.Select(static item => item.Feature));
    }

    [Fact]
    public void Advisory_AffinityProviderThrows_StillWorksAndSaysIt()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        _affinity.SetThreadCpus(Arg.Any<CpuSet>()).Returns(static _ => throw new InvalidOperationException());
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        Assert.Contains(
            _fallbacks.Current, static item => item.Message.Contains("InvalidOperationException", StringComparison.Ordinal));
    }

    [Fact]
    public void Advisory_HandlerOfAFallbackRents_EveryBlockHasMemoryOfItsOwn()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        _affinity.SetThreadCpus(Arg.Any<CpuSet>()).Returns(FaultyMemoryProvider.Invalid);
        using var pool = Create(NumaBindMode.Advisory, cpus: CpuSet.FromIds(0));
        var blocks = new List<NumaMemoryBlock>();
        _fallbacks.Reported += _ => blocks.Add(pool.RentBlock());
        blocks.AddRange(Enumerable.Range(0, 500).Select(_ => pool.RentBlock()));

        for (var i = 0; i < blocks.Count; i++)
        {
            blocks[i].GetSpan().Fill((byte)i);
        }

        Assert.Equal(502, blocks.Distinct().Count());
        Assert.All(blocks, (block, i) => Assert.Equal(-1, block.GetSpan().IndexOfAnyExcept((byte)i)));
        Assert.Equal((502L, (long)_memory.CommittedBytes), (pool.RentedBlocks, pool.CommittedBytes));
        blocks.ForEach(static block => block.Dispose());
        Assert.Equal(pool.CommittedBytes, pool.Trim());
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void None_Always_NeitherBindsNorReports()
    {
        using var pool = Create(NumaBindMode.None);
        using var block = pool.RentBlock();

        Assert.Empty(_memory.Placements);
        Assert.Empty(_fallbacks.Current);
        _affinity.DidNotReceiveWithAnyArgs().SetThreadCpus(CpuSet.Empty);
    }

    [Fact]
    public void None_WithFirstTouchCpus_TouchesThere()
    {
        var cpus = CpuSet.FromIds(0);
        using var pool = Create(NumaBindMode.None, cpus: cpus);
        using var block = pool.RentBlock();

        Assert.Empty(_memory.Placements);
        _affinity.Received(1).SetThreadCpus(cpus);
    }

    private NumaMemoryPool Create(NumaBindMode mode, int nodeId = 0, int? memoryNodeId = null, CpuSet? cpus = null) =>
        new(new NumaMemoryPoolOptions
        {
            NodeId = nodeId,
            MemoryNodeId = memoryNodeId,
            BindMode = mode,
            Memory = _memory,
            Affinity = _affinity,
            FirstTouchCpus = cpus,
            Fallbacks = _fallbacks,
        });
}
