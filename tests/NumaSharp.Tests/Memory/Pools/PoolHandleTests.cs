using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class PoolHandleTests : IDisposable
{
    private readonly SimulatedMachine _machine = new(TestMachines.WithIds(0));

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void Rent_AfterReturn_GivesTheSameWarmBlock()
    {
        using var pool = Create();
        var handle = pool.OpenHandle();
        var first = handle.Rent();
        first.GetSpan().Fill(1);
        handle.Return(first);
        var second = handle.Rent();

        Assert.Same(first, second);
        Assert.Equal(pool.BlockSize, second.Length);
        Assert.Equal(1, pool.RentedBlocks);
        handle.Return(second);
    }

    [Fact]
    public void RentAndReturn_MoreThanAThreadKeeps_NoBlockIsLostOrGivenTwice()
    {
        using var pool = Create();
        var handle = pool.OpenHandle();
        var blocks = new List<NumaMemoryBlock>();
        for (var i = 0; i < 500; i++)
        {
            blocks.Add(handle.Rent());
        }

        Assert.Equal(500, blocks.Distinct().Count());
        foreach (var block in blocks)
        {
            handle.Return(block);
        }

        Assert.Equal(0, pool.RentedBlocks);
        Assert.Equal(pool.CommittedBytes, pool.Trim());
    }

    [Fact]
    public void Return_BlocksOfOtherSizesAndPools_GoWhereTheyBelong()
    {
        using var pool = Create();
        using var other = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _machine.Platform.Memory });
        var handle = pool.OpenHandle();
        handle.Return(pool.RentBlock(10_000));
        handle.Return(pool.RentBlock(3_000_000));
        handle.Return(other.RentBlock());
        var pooled = handle.Rent();
        pooled.Dispose();

        Assert.Equal((0, 0), (pool.RentedBlocks, other.RentedBlocks));
        Assert.Same(pooled, pool.RentBlock());
    }

    [Fact]
    public void Return_Twice_Throws()
    {
        using var pool = Create();
        var handle = pool.OpenHandle();
        var block = handle.Rent();
        handle.Return(block);

        Assert.Throws<ObjectDisposedException>(() => pool.OpenHandle().Return(block));
        Assert.Throws<ObjectDisposedException>(block.Dispose);
    }

    [Fact]
    public void Return_ZeroOnReturn_NextRenterSeesZeros()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _machine.Platform.Memory, ZeroOnReturn = true });
        var handle = pool.OpenHandle();
        var block = handle.Rent();
        block.GetSpan().Fill(0xFF);
        handle.Return(block);

        Assert.Equal(-1, handle.Rent().GetSpan().IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void Rent_PoolDisposedSince_ThrowsAndLateBlocksReleaseTheMemory()
    {
        var pool = Create();
        var handle = pool.OpenHandle();
        var late = handle.Rent();
        pool.Dispose();
        using var next = Create();
        next.RentBlock().Dispose();

        var caught = false;
        try
        {
            handle.Rent();
        }
        catch (ObjectDisposedException)
        {
            caught = true;
        }

        Assert.True(caught);
        handle.Return(late);
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Throws<ObjectDisposedException>(() => { pool.OpenHandle(); });
    }

    [Fact]
    [Trait("kind", "allocation")]
    public void RentAndReturn_InSteadyState_AllocateNothing()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());

        Assert.Equal(0, Allocations.OfSteadyState(() =>
        {
            var handle = pool.OpenHandle();
            var block = handle.Rent();
            block.Pointer[0] = 1;
            handle.Return(block);
        }));
    }

    [Fact]
    [Trait("kind", "stress")]
    public void RentAndReturn_WhileOthersTrim_NoBlockIsLost()
    {
        using var pool = Create();
        var done = 0;
        TestThreads.Run(3, thread =>
        {
            if (thread == 0)
            {
                while (Volatile.Read(ref done) < 2)
                {
                    pool.Trim();
                    Thread.Yield();
                }

                return;
            }

            try
            {
                RentAndReturnPairs(pool, 200_000);
            }
            finally
            {
                Interlocked.Increment(ref done);
            }
        });

        pool.Trim();
        Assert.Equal((0, 0), (pool.RentedBlocks, pool.CommittedBytes));
    }

    private static void RentAndReturnPairs(NumaMemoryPool pool, int count)
    {
        var handle = pool.OpenHandle();
        for (var i = 0; i < count; i++)
        {
            var first = handle.Rent();
            var second = handle.Rent();
            *(int*)first.Pointer = i;
            *(int*)second.Pointer = -i;
            Assert.Equal((i, -i), (*(int*)first.Pointer, *(int*)second.Pointer));
            handle.Return(first);
            handle.Return(second);
        }
    }

    private NumaMemoryPool Create() => new(new NumaMemoryPoolOptions { Memory = _machine.Platform.Memory });
}
