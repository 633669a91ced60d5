using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class AbandonedBlocksTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly CallLog<NumaFallback> _reported = new();

    public AbandonedBlocksTests() => _fallbacks.Reported += (_, fallback) => _reported.Add(fallback);

    [Theory]
    [InlineData(NumaMemoryCheckMode.None, 100)]
    [InlineData(NumaMemoryCheckMode.None, 1_000_000)]
    [InlineData(NumaMemoryCheckMode.None, 5_000_000)]
    [InlineData(NumaMemoryCheckMode.Full, 100)]
    [InlineData(NumaMemoryCheckMode.Full, 5_000_000)]
    [InlineData(NumaMemoryCheckMode.Hardened, 100)]
    [InlineData(NumaMemoryCheckMode.Hardened, 5_000_000)]
    public void Rent_OwnerIsDropped_BlockIsTakenBackCountedAndReportedOnce(NumaMemoryCheckMode checks, int size)
    {
        using var pool = Create(checks);
        Forget(pool, size);
        Forget(pool, size);
        CollectUntilTakenBack(pool, 2);

        Assert.Equal((0L, 0L), (pool.RentedBlocks, pool.RentedBytes));
        Assert.Equal("memory.abandoned", Assert.Single(_reported).Feature);
        Assert.Equal(checks == NumaMemoryCheckMode.Full, _reported[0].Message.Contains(nameof(Forget), StringComparison.Ordinal));
        Assert.Empty(_fallbacks.Current);
        Assert.Equal(2, _fallbacks.ReportCount);
        using var next = pool.RentBlock(size);
        next.GetSpan().Fill(1);
        Assert.Equal(1, pool.RentedBlocks);
    }

    [Fact]
    public void Rent_ThreadThatStaysKeepsWhatItPopped_BlockIsTakenBack()
    {
        using var pool = Create();
        using var thread = new ParkedThread(() =>
        {
            Forget(pool, 100);
            Forget(pool, 100_000);
        });
        CollectUntilTakenBack(pool, 2);

        Assert.Equal(0, pool.RentedBlocks);
    }

    [Theory]
    [InlineData(Holding.Memory)]
    [InlineData(Holding.Pin)]
    [InlineData(Holding.TypedMemory)]
    [InlineData(Holding.TypedPin)]
    public void Rent_MemoryOrHandleIsKept_BlockStaysRented(Holding holding)
    {
        using var pool = Create();
        var kept = Hold(pool, holding, out var content);
        *content = 7;
        Forget(pool, 100);
        CollectUntilTakenBack(pool, 1);

        // What is free now is rented and overwritten: the kept one is not among it.
        var others = Enumerable.Range(0, 100).Select(_ => pool.RentBlock()).ToList();
        others.ForEach(static block => block.GetSpan().Fill(1));
        Assert.Equal(101, pool.RentedBlocks);
        Assert.Equal(7, *content);
        GC.KeepAlive(kept);
        others.ForEach(static block => block.Dispose());
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.None)]
    [InlineData(NumaMemoryCheckMode.Full)]
    [InlineData(NumaMemoryCheckMode.Hardened)]
    public void Return_OwnerIsDroppedAfterwards_IsNotAbandoned(NumaMemoryCheckMode checks)
    {
        using var pool = Create(checks);
        RentAndReturn(pool);
        CollectAgain(pool);
        pool.Trim();
        CollectAgain(pool);

        Assert.Equal((0L, 2L), (pool.RentedBlocks, pool.AbandonedBlocks));
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.None)]
    [InlineData(NumaMemoryCheckMode.Full)]
    public void Finalizer_ReturnsTheBlock_IsNotAbandoned(NumaMemoryCheckMode checks)
    {
        using var pool = Create(checks);
        var isWanted = new StrongBox<bool>(true);
        DropHolder(pool, isWanted);
        for (var i = 0; i < 3; i++)
        {
            CollectAgain(pool);
            Assert.Equal(1, pool.RentedBlocks);
        }

        isWanted.Value = false;
        Wait.UntilCollected(() => pool.RentedBlocks == 0);
        CollectAgain(pool);
        Assert.Equal((0L, 4L), (pool.RentedBlocks, pool.AbandonedBlocks));
    }

    [Theory]
    [InlineData(100)]
    [InlineData(5_000_000)]
    public void Dispose_BlockIsAbandoned_MemoryIsReleasedWithTheLast(int size)
    {
        var pool = Create();
        var kept = pool.RentBlock();
        Forget(pool, size);
        pool.Dispose();
        CollectUntilTakenBack(pool, 1);

        // A mapping of its own is released soon after.
        Wait.Until(() => _memory.ReservationCount == 1);
        kept.GetSpan().Fill(1);
        kept.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Dispose_AllBlocksAreAbandoned_MemoryIsReleased()
    {
        var pool = Create();
        Forget(pool, 100);
        Forget(pool, 10_000);
        pool.Dispose();
        Wait.UntilCollected(() => _memory.ReservationCount == 0);

        Assert.Equal(2, pool.AbandonedBlocks);
    }

    [Fact]
    public void Rent_LargeBlockIsAbandoned_OthersNeedNotWaitWhileItIsUnmapped()
    {
        using var pool = Create();
        var others = new ConcurrentQueue<Exception?>();
        _memory.OnRelease = () => others.Enqueue(
            Record.Exception(() => TestThreads.Run(() => pool.RentBlock().Dispose())));
        Forget(pool, 5_000_000);
        Wait.UntilCollected(() => !others.IsEmpty);
        _memory.OnRelease = static () => { };

        Assert.Null(Assert.Single(others));
    }

    [Fact]
    public void Rent_AtTheLimit_TakesBackWhatTheCollectorHasFound()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            Memory = _memory,
            Fallbacks = _fallbacks,
            LimitPerNode = 1 << 20,
            ZeroOnReturn = true,
        });
        var abandoned = ForgetAllThereIs(pool);
        CollectUntilTakenBack(pool, abandoned);

        var blocks = Enumerable.Range(0, abandoned).Select(_ => pool.RentBlock()).ToList();
        Assert.All(blocks, static block => Assert.Equal(-1, block.GetSpan().IndexOfAnyExcept((byte)0)));
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Checks_WrittenBehindAAbandonedBlock_IsReported()
    {
        using var pool = Create(NumaMemoryCheckMode.Full);
        ForgetOverrun(pool);
        CollectUntilTakenBack(pool, 1);

        var damage = Assert.Single(_reported, static fallback => fallback.Feature == "memory.damage");
        Assert.Contains("the 3 bytes behind the block of 4096 bytes", damage.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(ForgetOverrun), damage.Message, StringComparison.Ordinal);
        Assert.Empty(pool.GetLiveBlocks());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(NumaMemoryPool pool, int size)
    {
        var block = pool.RentBlock(size);
        block.GetSpan().Fill(5);
        GC.KeepAlive(block);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ForgetOverrun(NumaMemoryPool pool)
    {
        var block = pool.RentBlock();
        block.Pointer[4096 + 2] = 0;
        GC.KeepAlive(block);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RentAndReturn(NumaMemoryPool pool)
    {
        for (var i = 0; i < 10; i++)
        {
            pool.RentBlock().Dispose();
            pool.RentBlock(3_000_000).Dispose();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int ForgetAllThereIs(NumaMemoryPool pool)
    {
        var blocks = new List<NumaMemoryBlock>();
        try
        {
            while (true)
            {
                blocks.Add(pool.RentBlock());
                blocks[^1].GetSpan().Fill(5);
            }
        }
        catch (OutOfMemoryException)
        {
            return blocks.Count;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void DropHolder(NumaMemoryPool pool, StrongBox<bool> isWanted) => _ = new Holder(pool.RentBlock(), isWanted);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Hold(NumaMemoryPool pool, Holding holding, out byte* content)
    {
        IMemoryOwner<byte> owner = holding is Holding.TypedMemory or Holding.TypedPin
            ? new NumaMemoryPool<byte>(pool).Rent()
            : pool.Rent();
        using var pin = owner.Memory.Pin();
        content = (byte*)pin.Pointer;
        return holding is Holding.Pin or Holding.TypedPin ? owner.Memory.Pin() : owner.Memory;
    }

    private static void CollectUntilTakenBack(NumaMemoryPool pool, int count) =>
        Wait.UntilCollected(() => pool.AbandonedBlocks == count, () => $"{pool.AbandonedBlocks} of {count}");

    // Whatever a collection does to a pool has been done when one more block that was abandoned later is back.
    private static void CollectAgain(NumaMemoryPool pool)
    {
        var before = pool.AbandonedBlocks;
        Forget(pool, 100);
        Wait.UntilCollected(() => pool.AbandonedBlocks > before);
    }

    private NumaMemoryPool Create(NumaMemoryCheckMode checks = NumaMemoryCheckMode.None) => new(new NumaMemoryPoolOptions
    {
        Memory = _memory,
        Fallbacks = _fallbacks,
        Checks = checks,
    });

    public enum Holding
    {
        Memory,
        Pin,
        TypedMemory,
        TypedPin,
    }

    /// <summary>Nothing refers to it; its finalizer uses the block as long as requested, and then returns it.</summary>
    private sealed class Holder(NumaMemoryBlock block, StrongBox<bool> isWanted)
    {
        ~Holder()
        {
            block.GetSpan().Fill(9);
            if (isWanted.Value)
            {
                GC.ReRegisterForFinalize(this);
                return;
            }

            block.Dispose();
        }
    }
}
