using NumaSharp.Core;
using NumaSharp.GuestProbe;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Memory;

/// <summary>What docs/guide/plan.md promises of policies with several nodes, page by page.</summary>
public sealed unsafe class PolicyTests : ThreeNodeTests
{
    private const int MiB = 1 << 20;
    private const int PagesPerPiece = MiB / Pages.Size;
    private const string Weights = "/sys/kernel/mm/mempolicy/weighted_interleave/node0";

    private readonly NumaFallbacks _fallbacks = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Rent_Interleave_PagesOfTheFastNodesAlternate(int node)
    {
        using var pools = Create(new NumaPlanRequest { Policy = NumaMemoryPolicy.Interleave });
        using var block = RentTouched(pools.ForNode(new(node)), 500_000);
        Assert.Equal("interleave:0-1", PolicyOf(block));
        var nodes = Pages.NodesOf(block);
        Assert.Equal([0, 1], nodes.Distinct().Order());
        Assert.All(nodes.Zip(nodes.Skip(1)), static pair => Assert.NotEqual(pair.First, pair.Second));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Rent_StrictInterleave_PiecesOfAMebibyteAlternate()
    {
        var request = new NumaPlanRequest { Policy = NumaMemoryPolicy.Interleave, BindMode = NumaBindMode.Strict };
        using var pools = Create(request);
        using var block = RentTouched(pools.ForNode(new(0)), 4 * MiB);
        Assert.Equal("bind:0", PolicyOf(block));
        Assert.Equal([0, 1, 0, 1], PiecesOf(block));
    }

    [Fact]
    public void Rent_WeightedInterleaveUnlikeTheSystemsWeights_PiecesAreInProportion()
    {
        using var pools = Create(Weighted(3, 1));
        using var block = RentTouched(pools.ForNode(new(1)), 8 * MiB);
        Assert.Equal("prefer:0", PolicyOf(block));
        Assert.Equal([0, 0, 1, 0, 0, 0, 1, 0], PiecesOf(block));
        Assert.Empty(_fallbacks.Current);
    }

    [Fact]
    public void Rent_WeightedInterleaveLikeTheSystemsWeights_PagesAreInProportion()
    {
        var before = File.ReadAllText(Weights);
        try
        {
            File.WriteAllText(Weights, "3");
            using var pools = Create(Weighted(3, 1));
            using var block = RentTouched(pools.ForNode(new(0)), 500_000);
            Assert.Equal("weightedinterleave:0-1", PolicyOf(block));
            var nodes = Pages.NodesOf(block);
            Assert.All(
                Enumerable.Range(0, nodes.Length - 3), at => Assert.Equal(3, nodes.AsSpan(at, 4).Count(0)));
        }
        finally
        {
            File.WriteAllText(Weights, before);
        }
    }

    [Theory]
    [InlineData(NumaBindMode.Advisory, "prefer(many):0,2")]
    [InlineData(NumaBindMode.Strict, "bind:0,2")]
    public void Rent_MapWithTheSmallNodeFirst_ItIsFilledFirstAndTheRestComesFromTheNext(NumaBindMode mode, string policy)
    {
        using var pools = Create(new NumaPlanRequest
        {
            Policy = NumaMemoryPolicy.Custom,
            Map = new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> { [new(1)] = [new(2), new(0)] },
            BindMode = mode,
        });
        var blocks = new List<NumaMemoryBlock>();
        TestThreads.RunOn(TheMachine.CpusOf(1), () =>
        {
            for (var i = 0; i < (TheMachine.MemoryOf(2) / MiB) + 20; i++)
            {
                blocks.Add(RentTouched(pools.ForNode(new(1)), MiB));
            }
        });
        Assert.Equal(policy, PolicyOf(blocks[0]));
        int[] nodes = [.. blocks.Select(static block => Pages.NodeOf((nint)block.Pointer))];
        blocks.ForEach(static block => block.Dispose());

        // Once it is full, the kernel reclaims page cache of node 2, and a later block may find room there.
        Assert.All(nodes[..150], static node => Assert.Equal(2, node));
        Assert.Equal([2, 0], nodes.Distinct());
    }

    private static NumaPlanRequest Weighted(int node0, int node1) => new()
    {
        Policy = NumaMemoryPolicy.WeightedInterleave,
        Nodes = CpuSet.FromIds(0, 1),
        Weights = new Dictionary<NumaNodeId, int> { [new(0)] = node0, [new(1)] = node1 },
    };

    private static NumaMemoryBlock RentTouched(NumaMemoryPool pool, int size)
    {
        var block = pool.RentBlock(size);
        Pages.Touch((nint)block.Pointer, block.Length);
        return block;
    }

    private static string PolicyOf(NumaMemoryBlock block) => NumaMapping.Of((nint)block.Pointer).Policy;

    // The node of each mebibyte, whose pages are all on it.
    private static IEnumerable<int> PiecesOf(NumaMemoryBlock block) =>
        Pages.NodesOf(block).Chunk(PagesPerPiece).Select(static piece => Assert.Single(piece.Distinct()));

    private NumaMemoryPools Create(NumaPlanRequest request) => new(
        NumaPlan.Create(NumaTopology.Instance, request), new NumaMemoryPoolsOptions { Fallbacks = _fallbacks });
}
