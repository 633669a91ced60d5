using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

[Trait("kind", "stress")]
public sealed class MemoryPoolStressTests
{
    private const int Threads = 4;

    [Fact]
    public void Rent_ManyThreadsPassBlocksOn_NoBlockHasTwoOwners()
    {
        var memory = new FaultyMemoryProvider();
        var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
        var passed = new ConcurrentQueue<(NumaMemoryBlock Block, int Mark)>();

        TestThreads.Run(Threads, thread => RentAndPass(pool, passed, thread, 40_000));
        foreach (var (block, mark) in passed)
        {
            Check(block, mark);
            block.Dispose();
        }

        Assert.Equal(0, pool.RentedBlocks);
        Assert.Equal(0, pool.RentedBytes);
        pool.Dispose();
        Assert.Equal(0, memory.ReservationCount);
    }

    [Fact]
    public void Trim_WhileThreadsRent_NoBlockIsLostOrTakenAway()
    {
        var memory = new FaultyMemoryProvider();
        var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
        var passed = new ConcurrentQueue<(NumaMemoryBlock Block, int Mark)>();
        var done = 0;
        var trimmed = 0L;

        TestThreads.Run(Threads, thread =>
        {
            if (thread == 0)
            {
                while (Volatile.Read(ref done) < Threads - 1)
                {
                    trimmed += pool.Trim();
                    Thread.Yield();
                }
            }
            else
            {
                try
                {
                    RentAndPass(pool, passed, thread, 20_000);
                }
                finally
                {
                    Interlocked.Increment(ref done);
                }
            }
        });
        foreach (var (block, mark) in passed)
        {
            Check(block, mark);
            block.Dispose();
        }

        // Nothing counts as given back twice, and in the end all of it is.
        var committed = pool.CommittedBytes;
        Assert.InRange(committed, 0, (long)memory.CommittedBytes - trimmed);
        Assert.Equal((committed, 0L), (pool.Trim(), pool.CommittedBytes));
        Assert.Equal(0, pool.RentedBlocks);
        Assert.Equal(0, memory.ReservationCount);
        pool.Dispose();
    }

    [Fact]
    public void Dispose_WhileThreadsRentAndReturn_EverythingIsReleasedWithTheLastBlock()
    {
        for (var round = 0; round < 30; round++)
        {
            var memory = new FaultyMemoryProvider();
            var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
            using var started = new CountdownEvent(Threads - 1);
            TestThreads.Run(Threads, thread =>
            {
                if (thread == 0)
                {
                    Wait.For(started);
                    pool.Dispose();
                }
                else
                {
                    RentUntilDisposed(pool, started);
                }
            });

            Assert.Equal(0, memory.ReservationCount);
        }
    }

    [Theory]
    [InlineData(2_000)]
    [InlineData(20_000, Traits = new[] { "tier", "deep" })]
    public void Collect_WhileThreadsForgetBlocks_NoBlockHasTwoOwnersAndAllComeBack(int count)
    {
        var memory = new FaultyMemoryProvider();
        var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
        var done = 0;
        TestThreads.Run(Threads, thread =>
        {
            if (thread == 0)
            {
                while (Volatile.Read(ref done) < Threads - 1)
                {
                    Collect();
                }
            }
            else
            {
                try
                {
                    RentAndForget(pool, thread, count);
                }
                finally
                {
                    Interlocked.Increment(ref done);
                }
            }
        });
        Wait.UntilCollected(() => pool.RentedBlocks == 0, () => $"{pool.RentedBlocks} blocks");

        Assert.InRange(pool.AbandonedBlocks, 1, Threads * count);
        pool.Dispose();

        // A check after a collection counts a block before it gives its memory back.
        Wait.Until(() => memory.ReservationCount == 0);
    }

    // Nothing refers to a block on its way back but the return itself.
    [Theory]
    [InlineData(500)]
    [InlineData(5_000, Traits = new[] { "tier", "deep" })]
    public void Collect_WhileThreadsReturnLargeBlocks_NoneCountsAsAbandoned(int count)
    {
        var memory = new FaultyMemoryProvider();
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = memory });
        var done = 0;
        TestThreads.Run(Threads, thread =>
        {
            if (thread == 0)
            {
                while (Volatile.Read(ref done) < Threads - 1)
                {
                    Collect();
                }
            }
            else
            {
                try
                {
                    for (var i = 0; i < count; i++)
                    {
                        pool.RentBlock(2_000_000).Dispose();
                    }
                }
                finally
                {
                    Interlocked.Increment(ref done);
                }
            }
        });

        // Waits for what a check after a collection is giving back.
        pool.Trim();
        Assert.Equal((0L, 0L, 0), (pool.AbandonedBlocks, pool.CommittedBytes, memory.ReservationCount));
    }

    // Each of eight threads needs one of 64 blocks, and a cache takes half of them at once.
    [Fact]
    public void Rent_ManyThreadsAtTheLimit_NoneFailsWhileOthersKeepFreeBlocks()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            LimitPerNode = 64 * 4160,
            BindMode = NumaBindMode.None,
        });
        TestThreads.Run(2 * Threads, thread =>
        {
            for (var i = 0; i < 5_000; i++)
            {
                using (pool.RentBlock())
                {
                    if ((i + thread) % 4 == 0)
                    {
                        Thread.Yield();
                    }
                }

                if ((i + thread) % 8 == 0)
                {
                    NumaMemoryPool.SpillThreadCache();
                }
            }
        });
        Assert.Equal(0, pool.RentedBlocks);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    private static void RentAndForget(NumaMemoryPool pool, int thread, int count)
    {
        var random = new Random(thread);
        var own = new List<(NumaMemoryBlock Block, int Mark)>();
        for (var i = 0; i < count; i++)
        {
            if (own.Count < 100 && random.Next(5) < 3)
            {
                var rented = pool.RentBlock(random.Next(100) == 0 ? 2_000_000 : random.Next(20_000));
                Fill(rented, (thread << 24) | i);
                own.Add((rented, (thread << 24) | i));
            }
            else if (own.Count > 0)
            {
                var (block, mark) = own[random.Next(own.Count)];
                own.Remove((block, mark));
                Check(block, mark);
                if (random.Next(20) != 0)
                {
                    block.Dispose();
                }
            }
        }

        own.ForEach(static each => Check(each.Block, each.Mark));
    }

    private static void RentUntilDisposed(NumaMemoryPool pool, CountdownEvent started)
    {
        var held = new Queue<NumaMemoryBlock>();
        try
        {
            for (var i = 0; ; i++)
            {
                var block = pool.RentBlock(i % 7 == 0 ? 9000 : -1);
                block.GetSpan().Fill(1);
                held.Enqueue(block);
                if (i == 100)
                {
                    started.Signal();
                }

                if (held.Count > 100)
                {
                    held.Dequeue().Dispose();
                }
            }
        }
        catch (ObjectDisposedException)
        {
            foreach (var block in held)
            {
                block.GetSpan().Fill(2);
                block.Dispose();
            }
        }
    }

    private static void RentAndPass(
        NumaMemoryPool pool, ConcurrentQueue<(NumaMemoryBlock Block, int Mark)> passed, int thread, int count)
    {
        var random = new Random(thread);
        var own = new List<(NumaMemoryBlock Block, int Mark)>();
        for (var i = 0; i < count; i++)
        {
            if (own.Count < 150 && random.Next(5) < 3)
            {
                var size = random.Next(20) == 0 ? random.Next(200_000) : random.Next(10_000);
                var rented = pool.RentBlock(size);
                Assert.InRange(rented.Length, size, int.MaxValue);
                var mark = (thread << 24) | i;
                Fill(rented, mark);
                own.Add((rented, mark));
                continue;
            }

            if (random.Next(2) == 0 && own.Count > 0)
            {
                passed.Enqueue(own[^1]);
                own.RemoveAt(own.Count - 1);
            }
            else if (passed.TryDequeue(out var other))
            {
                Check(other.Block, other.Mark);
                other.Block.Dispose();
            }
        }

        foreach (var (block, mark) in own)
        {
            Check(block, mark);
            block.Dispose();
        }
    }

    private static void Fill(NumaMemoryBlock block, int mark)
    {
        var words = MemoryMarshal.Cast<byte, int>(block.GetSpan());
        words[0] = words[words.Length / 2] = words[^1] = mark;
        GC.KeepAlive(block);
    }

    private static void Check(NumaMemoryBlock block, int mark)
    {
        var words = MemoryMarshal.Cast<byte, int>(block.GetSpan());
        Assert.Equal((mark, mark, mark), (words[0], words[words.Length / 2], words[^1]));
        GC.KeepAlive(block);
    }
}
