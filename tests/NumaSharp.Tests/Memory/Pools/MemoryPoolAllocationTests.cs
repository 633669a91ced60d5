using System.Buffers;
using NumaSharp.Core;
using NumaSharp.Core.Memory;

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

    // Without room a block could be lost, or be in two places, when managed memory runs out.
    [Fact]
    public void FreeSlabs_BlocksComeBackToAnEmptySlab_AllocatesNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());
        var slab = new PoolSlab(1 << 20, 1 << 20, 4160, colours: 1);
        slab.Carve(200, 0);
        var blocks = Enumerable.Range(0, 200)
            .Select(index => new NumaMemoryBlock(pool, slab.BlockAt(index), 4096, 0, slab)).ToArray();
        var free = new FreeSlabs();

        Assert.Equal(0, Allocations.OfSteadyState(
            () =>
            {
                foreach (var block in blocks)
                {
                    free.Push(block);
                }

                free.Drop(slab);
            },
            100));
        Assert.Equal(0, free.Count);
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
