using System.Buffers;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

[Trait("kind", "allocation")]
public sealed class MemoryPoolAllocationTests
{
    [Fact]
    public void Rent_InSteadyState_AllocatesNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());

        Assert.Equal(0, Allocations.OfSteadyState(() =>
        {
            using IMemoryOwner<byte> owner = pool.Rent();
            owner.Memory.Span[0] = 1;
        }));
    }

    [Fact]
    public void RentBlock_Nested_AllocatesNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());

        Assert.Equal(0, Allocations.OfSteadyState(() =>
        {
            using var first = pool.RentBlock();
            using var second = pool.RentBlock(100);
            using var third = pool.RentBlock(10_000);
            third.GetSpan()[0] = second.GetSpan()[0] = first.GetSpan()[0];
        }));
    }

    [Fact]
    public void RentBlock_MoreThanAThreadKeeps_AllocatesNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());
        var blocks = new NumaMemoryBlock[300];

        Assert.Equal(0, Allocations.OfSteadyState(
            () =>
            {
                for (var i = 0; i < blocks.Length; i++)
                {
                    blocks[i] = pool.RentBlock();
                }

                foreach (var block in blocks)
                {
                    block.Dispose();
                }
            },
            1000));
    }

    [Fact]
    public void Statistics_Read_AllocateNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());
        using var small = pool.RentBlock();
        using var large = pool.RentBlock(5_000_000);
        long sum = 0;

        Assert.Equal(0, Allocations.OfSteadyState(() => sum += pool.RentedBlocks + pool.RentedBytes + pool.PooledBytes));
        Assert.NotEqual(0, sum);
    }
}
