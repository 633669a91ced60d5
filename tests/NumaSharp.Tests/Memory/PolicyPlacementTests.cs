using NSubstitute;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>What pools and allocator ask of the system under each policy, on nodes 0 and 2 with a CPU each.</summary>
public sealed class PolicyPlacementTests
{
    private const int MiB = 1 << 20;

    private static readonly CpuSet s_both = CpuSet.FromIds(0, 2);
    private static readonly NumaPlacement s_interleaved = new(NumaPlacementKind.Interleaved, s_both);
    private static readonly NumaResult s_notSupported = new(NumaFailure.NotSupported, 0, "no");

    private readonly FaultyMemoryProvider _memory = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly INumaAffinityProvider _affinity = Substitute.For<INumaAffinityProvider>();

    private static NumaPlan Plan(NumaMemoryPolicy policy, NumaBindMode mode = NumaBindMode.Advisory) => NumaPlan.Create(
        TestMachines.WithIds(0, 2).Read(),
        new NumaPlanRequest
        {
            Policy = policy,
            BindMode = mode,
            Weights = policy == NumaMemoryPolicy.WeightedInterleave
                ? new Dictionary<NumaNodeId, int> { [new(0)] = 3, [new(2)] = 1 }
                : new Dictionary<NumaNodeId, int>(),
            Map = policy == NumaMemoryPolicy.Custom
                ? new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> { [new(2)] = [new(0)] }
                : new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>(),
        });

    [Fact]
    public void Interleave_Advisory_IsTheKernelsPageByPage()
    {
        using var pools = Create(Plan(NumaMemoryPolicy.Interleave));
        using var first = pools[0].RentBlock();
        using var second = pools[1].RentBlock();

        Assert.Equal([s_interleaved, s_interleaved], _memory.Placements);
    }

    [Fact]
    public void Interleave_ProviderCannot_TakesTurnsByPieceAndDoesNotAskAgain()
    {
        _memory.OnPlace = static placement =>
            placement.Kind == NumaPlacementKind.Interleaved ? s_notSupported : NumaResult.Success;
        using var pools = Create(Plan(NumaMemoryPolicy.Interleave));
        using var first = pools[0].RentBlock(3 * MiB);
        using var second = pools[0].RentBlock(2 * MiB);

        Assert.Equal(s_interleaved, _memory.Placements[0]);
        Assert.Equal(
            [.. Enumerable.Range(0, _memory.Placements.Count - 1).Select(static i => NumaPlacement.Prefer(new(i % 2 * 2)))],
            _memory.Placements[1..]);
        Assert.True(_memory.Placements.Count > 5);
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Interleave_Strict_BindsPieceByPiece()
    {
        using var pools = Create(Plan(NumaMemoryPolicy.Interleave, NumaBindMode.Strict));
        using var block = pools[0].RentBlock(4 * MiB);

        Assert.Equal(
            [NumaPlacement.Bind(new(0)), NumaPlacement.Bind(new(2)), NumaPlacement.Bind(new(0)), NumaPlacement.Bind(new(2))],
            _memory.Placements[..4]);
    }

    [Fact]
    public void Interleave_StrictAndRefused_Throws()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pools = Create(Plan(NumaMemoryPolicy.Interleave, NumaBindMode.Strict));

        Assert.Throws<NumaException>(() => pools[0].RentBlock());
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Interleave_Refused_IsTouchedOnTheNodeAndSaidOnce()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pools = Create(Plan(NumaMemoryPolicy.Interleave));
        using var first = pools[1].RentBlock();
        using var second = pools[1].RentBlock(2 * MiB);

        Assert.Single(_memory.Placements);
        var fallback = Assert.Single(_fallbacks.Current);
        Assert.Contains("could not be bound to nodes 0,2 (mbind: EPERM)", fallback.Message, StringComparison.Ordinal);
        _affinity.Received().SetThreadCpus(CpuSet.FromIds(2));
    }

    [Fact]
    public void WeightedInterleave_Advisory_AsksWithItsWeights()
    {
        using var pools = Create(Plan(NumaMemoryPolicy.WeightedInterleave));
        using var block = pools[0].RentBlock();

        Assert.Equal(
            [new NumaPlacement(NumaPlacementKind.WeightedInterleaved, s_both) { Weights = [3, 1] }], _memory.Placements);
    }

    [Fact]
    public void WeightedInterleave_SystemHasOtherWeights_KeepsTheProportionByPieces()
    {
        _memory.OnPlace = static placement =>
            placement.Kind == NumaPlacementKind.WeightedInterleaved ? s_notSupported : NumaResult.Success;
        using var pools = Create(Plan(NumaMemoryPolicy.WeightedInterleave));
        using var block = pools[0].RentBlock(8 * MiB);

        var pieces = _memory.Placements.Zip(_memory.PlacedSizes).Skip(1).Take(8).ToArray();
        Assert.Equal(6, pieces.Count(static piece => piece.First == NumaPlacement.Prefer(new(0))));
        Assert.Equal(2, pieces.Count(static piece => piece.First == NumaPlacement.Prefer(new(2))));
        Assert.All(pieces, static piece => Assert.Equal((nuint)MiB, piece.Second));
    }

    [Fact]
    public void WeightedInterleave_SystemsWeightsBecomeTheWantedOnes_IsTheKernelsAgain()
    {
        var isRefused = true;
        _memory.OnPlace = placement =>
            isRefused && placement.Kind == NumaPlacementKind.WeightedInterleaved ? s_notSupported : NumaResult.Success;
        using var pools = Create(Plan(NumaMemoryPolicy.WeightedInterleave));
        using var first = pools[0].RentBlock(8 * MiB);
        var before = _memory.Placements.Count;
        isRefused = false;
        using var second = pools[0].RentBlock(8 * MiB);

        Assert.Equal(NumaPlacementKind.WeightedInterleaved, _memory.Placements[0].Kind);
        Assert.True(before > 8);
        Assert.Equal([NumaPlacementKind.WeightedInterleaved], _memory.Placements[before..].Select(static placed => placed.Kind));

        // Other weights again: the turns continue where they were.
        isRefused = true;
        using var third = pools[0].RentBlock(8 * MiB);
        Assert.Equal(
            (NumaPlacementKind.WeightedInterleaved, NumaPlacementKind.Preferred),
            (_memory.Placements[before + 1].Kind, _memory.Placements[before + 2].Kind));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Pieces_OfALargeBlock_AreFew()
    {
        using var pools = Create(Plan(NumaMemoryPolicy.WeightedInterleave, NumaBindMode.Strict));
        using var block = pools[0].RentBlock(256 * MiB);

        Assert.InRange(_memory.Placements.Count, 32, 66);
    }

    [Theory]
    [InlineData(NumaBindMode.Advisory, NumaPlacementKind.Preferred)]
    [InlineData(NumaBindMode.Strict, NumaPlacementKind.Bound)]
    public void Saturate_EveryNode_UsesTheSameNodeFirst(NumaBindMode mode, NumaPlacementKind kind)
    {
        using var pools = Create(Plan(NumaMemoryPolicy.Saturate, mode));
        using var first = pools[0].RentBlock();
        using var second = pools[1].RentBlock();

        var expected = new NumaPlacement(kind, s_both) { HomeNodeId = new(0) };
        Assert.Equal([expected, expected], _memory.Placements);
        Assert.Equal((2, 0), (pools[1].NodeId.Value, pools[1].MemoryNodeId.Value));
    }

    [Fact]
    public void Custom_Map_IsFollowedByPoolsAndAllocator()
    {
        var plan = Plan(NumaMemoryPolicy.Custom);
        using var pools = Create(plan);
        using var block = pools.ForNode(new(2)).RentBlock();
        using var allocator = new NumaAllocator(
            plan, new NumaAllocatorOptions { Memory = _memory, Affinity = _affinity, AddressSpacePerNode = 64 * MiB });
        unsafe
        {
            allocator.Free(allocator.Allocate(100, nodeId: new(2)));
            allocator.Free(allocator.Allocate(100, nodeId: new(0)));
        }

        Assert.Equal(
            [NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0))], _memory.Placements);
    }

    [Fact]
    public void Custom_Refused_IsTouchedOnTheNodeThatTheMapSays()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pools = Create(Plan(NumaMemoryPolicy.Custom));
        using var block = pools.ForNode(new(2)).RentBlock();

        _affinity.Received().SetThreadCpus(CpuSet.FromIds(0));
        _affinity.DidNotReceive().SetThreadCpus(CpuSet.FromIds(2));
    }

    private NumaMemoryPools Create(NumaPlan plan) => new(
        plan, new NumaMemoryPoolsOptions { Memory = _memory, Affinity = _affinity, Fallbacks = _fallbacks });
}
