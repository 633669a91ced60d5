using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Pools;
using NumaSharp.Playground.Benchmarks.Pools.Peers;

namespace NumaSharp.Benchmarks.Tests.Pools;

public sealed class PoolSidesTests
{
    private const int Operations = 640;
    private static readonly IPoolSide[] s_sides = [PoolSides.Ours, PoolSides.Kestrel, PoolSides.Shared];

    public static TheoryData<int> Sides => [.. Enumerable.Range(0, s_sides.Length)];

    [Theory]
    [MemberData(nameof(Sides))]
    public void Verify_EveryPool_KeepsWhatIsWritten(int side) => s_sides[side].Verify();

    [Theory]
    [MemberData(nameof(Sides))]
    public void Loops_EveryPool_ReturnWhatTheyRent(int side)
    {
        var pool = s_sides[side];
        var ring = new SpscRing<RentedBlock>();

        pool.Single(Operations);
        pool.Nested(Operations);
        pool.Shuffled([3, 0, 2, 1], Operations);
        pool.Produce(ring, Operations);
        pool.Consume(ring, Operations);

        // A pool that does not get its blocks back gives new ones; ours would count them as rented.
        Assert.Equal(0, ((NumaSharp.Core.NumaMemoryPool)NumaPooledBlocks.Pool).RentedBlocks);
    }

    [Fact]
    public void Create_KestrelPool_IsKestrelsOwn() =>
        Assert.Equal("Microsoft.AspNetCore.PinnedBlockMemoryPool", KestrelPooledBlocks.Pool.GetType().FullName);

    [Fact]
    public void MegamorphicSite_EveryPool_RentsAndReturns()
    {
        MegamorphicSite.MeetAll();
        MegamorphicSite.Single(NumaPooledBlocks.Pool, Operations);

        Assert.Equal(0, ((NumaSharp.Core.NumaMemoryPool)NumaPooledBlocks.Pool).RentedBlocks);
    }
}
