using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolLifetimeTests
{
    private readonly FaultyMemoryProvider _memory = new();

    [Fact]
    public void Dispose_BlocksStillRented_StayValidAndReleaseWithTheLast()
    {
        var pool = Create();
        var first = pool.RentBlock();
        var second = pool.RentBlock(50_000);
        pool.Dispose();
        pool.Dispose();

        Assert.NotEqual(0, _memory.ReservationCount);
        first.GetSpan().Fill(1);
        first.Dispose();
        second.GetSpan().Fill(2);
        Assert.NotEqual(0, _memory.ReservationCount);
        second.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
        Assert.Equal(0, pool.CommittedBytes);
    }

    [Fact]
    public void Dispose_BlocksComeBackAfterIt_NoLongerCountAsRented()
    {
        var pool = Create();
        NumaMemoryBlock[] blocks = [pool.RentBlock(), pool.RentBlock(), pool.RentBlock(50_000)];
        pool.Dispose();
        Assert.Equal((3L, 8192L + 65_536), (pool.RentedBlocks, pool.RentedBytes));
        blocks[0].Dispose();
        Assert.Equal((2L, 4096L + 65_536), (pool.RentedBlocks, pool.RentedBytes));
        blocks[2].Dispose();
        Assert.Equal((1L, 4096L), (pool.RentedBlocks, pool.RentedBytes));
        blocks[1].Dispose();
        Assert.Equal((0L, 0L, 0L), (pool.RentedBlocks, pool.RentedBytes, pool.CommittedBytes));
    }

    [Fact]
    public void Dispose_BlockThatTwoThreadsReturnAfterIt_IsBackOnce()
    {
        var pool = Create();
        var (twice, kept) = (pool.RentBlock(), pool.RentBlock());
        pool.Dispose();
        twice.Dispose();

        // The second thread, which was past the block's own check.
        Assert.Throws<ObjectDisposedException>(() => pool.Return(twice));
        kept.GetSpan().Fill(1);
        Assert.Equal(1, _memory.ReservationCount);
        kept.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Dispose_BlockThatTwoThreadsReturnedBeforeIt_IsBackOnce()
    {
        var pool = Create();
        var (twice, late, kept) = (pool.RentBlock(), pool.RentBlock(), pool.RentBlock());
        twice.Dispose();
        pool.Return(twice);
        late.Dispose();
        pool.Dispose();

        Assert.Throws<ObjectDisposedException>(() => pool.Return(late));
        kept.GetSpan().Fill(1);
        Assert.Equal(1, _memory.ReservationCount);
        kept.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Return_LargeBlockThatThePoolHasTakenBack_IsReleasedOnce()
    {
        using var pool = Create();
        var block = pool.RentBlock(5_000_000);
        block.Dispose();

        // The second thread, which was past the block's own check.
        pool.Return(block);
        Assert.Equal((0, 0L), (_memory.ReservationCount, pool.CommittedBytes));
    }

    [Fact]
    public void Dispose_WhileALargeBlockIsMapped_RenterIsRefusedAndNothingStays()
    {
        var pool = Create();
        _memory.OnReserve = () =>
        {
            Wait.For(TestThreads.Start(pool.Dispose));
            return NumaResult.Success;
        };

        Assert.Throws<ObjectDisposedException>(() => pool.RentBlock(5_000_000));
        Assert.Equal((0, 0L), (_memory.ReservationCount, pool.CommittedBytes));
    }

    [Fact]
    public void Dispose_InterruptedWhileAnotherThreadGivesMemoryBack_WaitsForThatThread()
    {
        using var gate = new Gate();
        using var releasing = new ManualResetEventSlim();
        var pool = Create();
        RentOnNewThread(pool);
        _memory.OnRelease = () =>
        {
            releasing.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(() => pool.Trim());
        Wait.For(releasing);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(pool.Dispose);
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal((0, 0L), (_memory.ReservationCount, pool.CommittedBytes));
    }

    [Fact]
    public void Rent_WhileALargeBlockIsMapped_OthersNeedNotWait()
    {
        using var pool = Create();
        var ended = false;
        _memory.OnReserve = () =>
        {
            _memory.OnReserve = static () => NumaResult.Success;
            var thread = new Thread(() => pool.Trim()) { IsBackground = true };
            thread.Start();
            Wait.For(thread);
            ended = true;
            return NumaResult.Success;
        };
        pool.RentBlock(10_000_000).Dispose();

        Assert.True(ended);
        Assert.Equal((0, 0), (_memory.ReservationCount, pool.CommittedBytes));
    }

    [Fact]
    public void Rent_AfterDispose_ThrowsAndNamesThePool()
    {
        var pool = Create();
        pool.RentBlock().Dispose();
        pool.Dispose();

        var exception = Assert.Throws<ObjectDisposedException>(() => pool.Rent());
        Assert.Contains("memory pool of node 0", exception.Message, StringComparison.Ordinal);
        Assert.Throws<ObjectDisposedException>(() => pool.Rent(10_000_000));
    }

    [Fact]
    public void Dispose_IdUsedByTheNextPool_BlocksDoNotMix()
    {
        var first = Create();
        var late = first.RentBlock();
        first.RentBlock().Dispose();
        first.Dispose();
        var secondMemory = new FaultyMemoryProvider();
        using var second = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = secondMemory });
        second.RentBlock().Dispose();
        late.Dispose();

        Assert.Equal(0, _memory.ReservationCount);
        using var block = second.RentBlock();
        Assert.NotSame(late, block);
        block.GetSpan().Fill(1);
    }

    [Fact]
    public void Trim_AllFree_GivesEverythingBack()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 1000).Select(_ => pool.RentBlock()).ToList();
        var committed = pool.CommittedBytes;
        Assert.True(committed >= 1000 * 4096);
        blocks.ForEach(static block => block.Dispose());

        Assert.Equal(committed, pool.Trim());
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Equal(0, pool.PooledBytes);
        Assert.Equal(0, _memory.ReservationCount);
        using var again = pool.RentBlock();
        again.GetSpan().Fill(1);
    }

    [Fact]
    public void Trim_OneBlockRented_KeepsItsSlab()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 1000).Select(_ => pool.RentBlock()).ToList();
        blocks[0].GetSpan().Fill(0x5A);
        blocks.Skip(1).ToList().ForEach(static block => block.Dispose());

        Assert.True(pool.Trim() > 0);
        Assert.Equal(1, _memory.ReservationCount);
        Assert.Equal(1, pool.RentedBlocks);
        Assert.Equal(-1, blocks[0].GetSpan().IndexOfAnyExcept((byte)0x5A));
        blocks[0].Dispose();
    }

    [Fact]
    public void Rent_OnThreadsThatEnd_TheirBlocksAreUsedAgain()
    {
        using var pool = Create();
        RentOnNewThread(pool);
        var committed = pool.CommittedBytes;
        for (var i = 0; i < 200; i++)
        {
            RentOnNewThread(pool);
        }

        Assert.Equal(committed, pool.CommittedBytes);
        Assert.Equal(0, pool.RentedBlocks);
    }

    [Fact]
    public void SpillThreadCache_ParkedThread_OthersGetItsBlocks()
    {
        using var pool = Create();
        NumaMemoryBlock? used = null;
        using var thread = new ParkedThread(() =>
        {
            used = pool.RentBlock();
            used.Dispose();
            NumaMemoryPool.SpillThreadCache();
        });
        var count = (int)(pool.PooledBytes / pool.BlockSize);
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToList();

        Assert.Contains(used, blocks);
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Statistics_RentAndReturn_AreExactWithoutOtherRenters()
    {
        using var pool = Create();
        var blocks = new[] { pool.RentBlock(), pool.RentBlock(5000), pool.RentBlock(3_000_000) };

        Assert.Equal(3, pool.RentedBlocks);
        Assert.Equal(4096 + 8192 + blocks[2].Length, pool.RentedBytes, 4096.0);
        Assert.Equal((long)_memory.CommittedBytes, pool.CommittedBytes);
        Array.ForEach(blocks, static block => block.Dispose());
        Assert.Equal(0, pool.RentedBlocks);
        Assert.Equal(0, pool.RentedBytes);
        Assert.InRange(pool.PooledBytes, 1, pool.CommittedBytes);
    }

    private NumaMemoryPool Create() => new(new NumaMemoryPoolOptions { Memory = _memory });

    private static void RentOnNewThread(NumaMemoryPool pool) => TestThreads.Run(() =>
    {
        var blocks = Enumerable.Range(0, 50).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.Dispose());
    });
}
