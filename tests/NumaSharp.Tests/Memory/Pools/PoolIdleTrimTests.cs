using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed class PoolIdleTrimTests
{
    private const long Slab = 2 * 1024 * 1024;

    private readonly FaultyMemoryProvider _memory = new();
    private readonly ManualTime _time = new();

    [Fact]
    public void Tick_NothingRentedSince_GivesEverythingBack()
    {
        using var pool = Create();
        RentAndReturn(pool, 5000);
        Assert.True(pool.CommittedBytes > 5000 * 4096);
        _time.Tick();
        Assert.True(pool.CommittedBytes > 5000 * 4096);
        _time.Tick();

        Assert.Equal(0, pool.CommittedBytes);
        Assert.Equal(0, pool.PooledBytes);
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Tick_ManyMissed_IsOne()
    {
        using var pool = Create();
        RentAndReturn(pool, 5000);
        var committed = pool.CommittedBytes;
        _time.Tick(intervals: 100);

        Assert.Equal(committed, pool.CommittedBytes);
        _time.Tick();
        Assert.Equal(0, pool.CommittedBytes);
    }

    [Fact]
    public void Tick_Floor_StaysCommitted()
    {
        using var pool = Create(keepBytes: 3 * Slab);
        RentAndReturn(pool, 5000);
        _time.Tick();
        _time.Tick();
        _time.Tick();

        Assert.InRange(pool.CommittedBytes, 3 * Slab, (4 * Slab) - 1);
    }

    [Fact]
    public void SetTrimming_LessOften_HoldsFromTheNextTickOn()
    {
        using var pool = Create();
        RentAndReturn(pool, 5000);
        var interval = _time.Interval;
        pool.SetTrimming(3 * interval, 3 * Slab);
        Assert.Equal(3 * interval, _time.Interval);
        _time.Tick();
        _time.Tick();

        Assert.Equal(3 * interval, _time.Interval);
        Assert.InRange(pool.CommittedBytes, 3 * Slab, (4 * Slab) - 1);
    }

    [Fact]
    public void SetTrimming_NeverAndAgain_StopsAndContinues()
    {
        using var pool = Create();
        RentAndReturn(pool, 5000);
        var (interval, committed) = (_time.Interval, pool.CommittedBytes);
        pool.SetTrimming(TimeSpan.Zero, 0);
        Assert.Equal(Timeout.InfiniteTimeSpan, _time.Interval);
        pool.SetTrimming(interval, 0);
        Assert.Equal((1, committed), (_time.TimerCount, pool.CommittedBytes));
        _time.Tick();
        _time.Tick();

        Assert.Equal(0, pool.CommittedBytes);
    }

    [Fact]
    public void SetTrimming_OutsideItsRange_ChangesNothing()
    {
        using var pool = Create();
        var interval = _time.Interval;
        Assert.Throws<ArgumentOutOfRangeException>("trimAfter", () => pool.SetTrimming(TimeSpan.FromTicks(1), 0));
        Assert.Throws<ArgumentOutOfRangeException>("keepBytes", () => pool.SetTrimming(TimeSpan.FromDays(1), -1));
        Assert.Equal(interval, _time.Interval);
    }

    [Fact]
    public void SetTrimming_AfterTheEnd_DoesNothing()
    {
        var pool = Create();
        pool.Dispose();
        pool.SetTrimming(TimeSpan.FromSeconds(1), 0);

        Assert.Equal(0, _time.TimerCount);
    }

    [Fact]
    public void Tick_WhatWasNeededSince_Stays()
    {
        using var pool = Create();
        RentAndReturn(pool, 5000);
        _time.Tick();
        RentAndReturn(pool, 2000);
        _time.Tick();

        Assert.InRange(pool.CommittedBytes, 2000 * 4096, 5000 * 4096);
    }

    [Fact]
    public void Tick_FewBlocksOfManySlabsInUse_LaterRentsGatherInFewSlabs()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 5000).Select(_ => pool.RentBlock()).ToArray();
        new Random(1).Shuffle(blocks);
        Array.ForEach(blocks, static block => block.Dispose());
        for (var i = 0; i < 3; i++)
        {
            _time.Tick();
            RentAndReturn(pool, 300);
        }

        Assert.InRange(pool.CommittedBytes, 300 * 4096, 2 * Slab);
    }

    [Fact]
    public void Tick_RentedBlocks_KeepTheirContent()
    {
        using var pool = Create();
        var kept = pool.RentBlock();
        kept.GetSpan().Fill(0x5A);
        RentAndReturn(pool, 5000);
        _time.Tick();
        _time.Tick();

        Assert.InRange(pool.CommittedBytes, 1, Slab);
        Assert.Equal(1, pool.RentedBlocks);
        Assert.Equal(-1, kept.GetSpan().IndexOfAnyExcept((byte)0x5A));
        kept.Dispose();
    }

    [Theory]
    [InlineData(10_000, 16_384)]
    [InlineData(300_000, 524_288)]
    [InlineData(1_000_000, 1_048_576)]
    public void Tick_LargerBlocks_ComeFromSlabsOfTheirOwnAndGoBack(int size, int length)
    {
        using var pool = Create();
        using var ordinary = pool.RentBlock();
        var blocks = Enumerable.Range(0, 50).Select(_ => pool.RentBlock(size)).ToArray();

        Assert.All(blocks, block => Assert.Equal(length, block.Length));
        Assert.Equal((51, (50L * length) + ordinary.Length), (pool.RentedBlocks, pool.RentedBytes));
        Assert.InRange(_memory.ReservationCount, 2, 50);
        Array.ForEach(blocks, static block => block.Dispose());
        _time.Tick();
        _time.Tick();

        Assert.Equal((1, 1), (_memory.ReservationCount, pool.RentedBlocks));
        Assert.InRange(pool.CommittedBytes, 1, Slab);
    }

    [Fact]
    public void Tick_OtherThreadsKeepBlocks_TheirsGoToo()
    {
        using var pool = Create();
        using var thread = new ParkedThread(() => RentAndReturn(pool, 50));
        _time.Tick();
        _time.Tick();

        Assert.Equal(0, pool.CommittedBytes);
    }

    [Fact]
    [Trait("kind", "stress")]
    public void Tick_WhileThreadsRent_NoBlockIsLostOrTakenAway()
    {
        var pool = Create();
        var done = 0;
        TestThreads.Run(3, thread =>
        {
            if (thread == 0)
            {
                while (Volatile.Read(ref done) < 2)
                {
                    _time.Tick();
                    Thread.Yield();
                }

                return;
            }

            try
            {
                RentMoreAndLess(pool, thread);
            }
            finally
            {
                Interlocked.Increment(ref done);
            }
        });

        Assert.Equal(0, pool.RentedBlocks);
        pool.Trim();
        Assert.Equal((0, 0), (pool.CommittedBytes, _memory.ReservationCount));
        pool.Dispose();
    }

    [Fact]
    public void Dispose_Pool_EndsItsTimer()
    {
        var pool = Create();
        Assert.Equal(TimeSpan.FromMinutes(1), _time.Interval);
        pool.Dispose();

        Assert.Equal(0, _time.TimerCount);
    }

    [Fact]
    public void TrimAfter_NotSet_NoTimer()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Time = _time });

        Assert.Equal(0, _time.TimerCount);
    }

    [Fact]
    public void Pools_OptionsOfTheirNodes_ArePassedOn()
    {
        using var pools = new NumaMemoryPools(
            TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = NumaBindMode.None }),
            new NumaMemoryPoolsOptions
            {
                Memory = _memory,
                TrimAfter = TimeSpan.FromSeconds(5),
                KeepPerNode = 2 * Slab,
                Time = _time,
            });
        RentAndReturn(pools[0], 5000);
        _time.Tick();
        _time.Tick();

        Assert.Equal(2, _time.TimerCount);
        Assert.InRange(pools[0].CommittedBytes, 2 * Slab, (3 * Slab) - 1);
        Assert.Equal(0, pools[1].CommittedBytes);
    }

    [Theory]
    [InlineData(-1, 0)]
    [InlineData(0, -1)]
    [InlineData(0.0005, 0)]
    [InlineData(50 * 86_400, 0)]
    public void Constructor_OptionOutOfRange_Throws(double seconds, long keep)
    {
        var options = new NumaMemoryPoolOptions { TrimAfter = TimeSpan.FromSeconds(seconds), KeepPerNode = keep };

        Assert.Throws<ArgumentOutOfRangeException>(() => new NumaMemoryPool(options));
    }

    private NumaMemoryPool Create(long keepBytes = 0) => new(new NumaMemoryPoolOptions
    {
        Memory = _memory,
        TrimAfter = TimeSpan.FromMinutes(1),
        KeepPerNode = keepBytes,
        Time = _time,
    });

    private static void RentMoreAndLess(NumaMemoryPool pool, int thread)
    {
        var random = new Random(thread);
        var held = new List<NumaMemoryBlock>();
        for (var i = 0; i < 100_000; i++)
        {
            if (held.Count < 700 && random.Next(100) < (i / 1000 % 2 == 0 ? 70 : 30))
            {
                held.Add(pool.RentBlock(random.Next(8192)));
                held[^1].GetSpan()[0] = (byte)thread;
            }
            else if (held.Count > 0)
            {
                Assert.Equal(thread, held[^1].GetSpan()[0]);
                held[^1].Dispose();
                held.RemoveAt(held.Count - 1);
            }
        }

        held.ForEach(static block => block.Dispose());
    }

    private static void RentAndReturn(NumaMemoryPool pool, int count)
    {
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToArray();
        Array.ForEach(blocks, static block => block.Dispose());
    }
}
