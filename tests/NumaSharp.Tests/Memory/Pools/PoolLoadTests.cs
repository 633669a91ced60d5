using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// Races that need many attempts, in the deep tier some ten thousand. There the code is optimized, so that a reference is live no
/// longer than it is used.
/// </summary>
[Trait("kind", "stress")]
public sealed class PoolLoadTests
{
    private const int Returning = 3;
    private const int Contending = 4;
    private const int Large = 2_000_000;

    // Nothing refers to a block on its way back but the return itself, which waits for the pool's lock here.
    [Theory]
    [InlineData(300)]
    [InlineData(10_000, Traits = ["tier", "deep"])]
    public void Collect_WhileReturnsOfLargeBlocksWaitForTheLock_NoneCountsAsAbandoned(int count)
    {
        var memory = new FaultyMemoryProvider();
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
        var done = 0;
        TestThreads.Run(Returning + Contending + 1, thread =>
        {
            if (thread >= Returning)
            {
                while (Volatile.Read(ref done) < Returning)
                {
                    DisturbAs(pool, thread);
                }

                return;
            }

            try
            {
                for (var i = 0; i < count; i++)
                {
                    pool.RentBlock(Large).Dispose();
                }
            }
            finally
            {
                Interlocked.Increment(ref done);
            }
        });

        // Waits for what a check after a collection is giving back.
        pool.Trim();
        Assert.Equal((0L, 0L, 0L, 0), (pool.AbandonedBlocks, pool.RentedBlocks, pool.CommittedBytes, memory.ReservationCount));
    }

    // Each round all blocks are free in one thread's cache, and the others want one each at once.
    [Theory]
    [InlineData(200)]
    [InlineData(10_000, Traits = ["tier", "deep"])]
    public void Rent_BurstAtTheLimit_EachThreadGetsABlock(int rounds)
    {
        const int Renters = 8;
        const int Blocks = 64;
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            LimitPerNode = Blocks * 4160,
            BindMode = NumaBindMode.None,
        });
        using var barrier = new Barrier(Renters + 1);
        var rented = new int[Renters + 1];
        TestThreads.Run(Renters + 1, thread =>
        {
            for (var round = 0; round < rounds; round++)
            {
                if (thread == 0)
                {
                    // With pages of 64 KiB there are fewer.
                    RentAndReturn(pool, Blocks - 4);
                }

                barrier.SignalAndWait();
                var block = thread == 0 ? null : TryRent(pool);
                barrier.SignalAndWait();
                rented[thread] += block is null ? 0 : 1;
                block?.Dispose();
                NumaMemoryPool.SpillThreadCache();
                barrier.SignalAndWait();
            }
        });

        Assert.All(rented[1..], each => Assert.Equal(rounds, each));
        Assert.Equal(0, pool.RentedBlocks);
    }

    private static void DisturbAs(NumaMemoryPool pool, int thread)
    {
        if (thread == Returning)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return;
        }

        // More than a thread keeps.
        RentAndReturn(pool, 200);
        NumaMemoryPool.SpillThreadCache();
    }

    private static void RentAndReturn(NumaMemoryPool pool, int count)
    {
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());
    }

    private static NumaMemoryBlock? TryRent(NumaMemoryPool pool)
    {
        try
        {
            return pool.RentBlock();
        }
        catch (OutOfMemoryException)
        {
            return null;
        }
    }
}
