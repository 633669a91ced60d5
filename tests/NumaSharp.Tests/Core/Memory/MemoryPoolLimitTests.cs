using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed class MemoryPoolLimitTests
{
    private const long Limit = 1024 * 1024;
    private readonly FaultyMemoryProvider _memory = new();

    [Fact]
    public void Rent_BeyondTheLimit_ThrowsWithNodeAndLimitAndRecovers()
    {
        using var pool = Create(Limit);
        var blocks = new List<NumaMemoryBlock>();
        var exception = Assert.Throws<OutOfMemoryException>(() =>
        {
            for (var i = 0; i < 1000; i++)
            {
                blocks.Add(pool.RentBlock());
            }
        });

        Assert.Contains("node 4", exception.Message, StringComparison.Ordinal);
        Assert.Contains("1048576", exception.Message, StringComparison.Ordinal);
        Assert.InRange(pool.CommittedBytes, Limit - 8192, Limit);
        Assert.InRange(blocks.Count, 240, 256);
        blocks[^1].Dispose();
        blocks[^1] = pool.RentBlock();
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Rent_SystemHasNoMemory_IsReportedUntilItHas()
    {
        var fallbacks = new NumaFallbacks();
        using var pool = new NumaMemoryPool(
            new NumaMemoryPoolOptions { NodeId = new(4), Memory = _memory, Fallbacks = fallbacks });
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        var exception = Assert.Throws<OutOfMemoryException>(() => pool.RentBlock());
        Assert.Throws<OutOfMemoryException>(() => pool.RentBlock());
        Assert.Equal(new NumaFallback("memory.shortage", exception.Message, new(4)), Assert.Single(fallbacks.Current));
        Assert.Equal(2, fallbacks.Count);

        _memory.OnCommit = static () => NumaResult.Success;
        pool.RentBlock().Dispose();
        Assert.Empty(fallbacks.Current);
    }

    // What only one caller wants, and what a limit of the application's own refuses, is that caller's.
    [Fact]
    public void Rent_TooMuch_OnlyTheCallerGetsIt()
    {
        var fallbacks = new NumaFallbacks();
        using var pool = new NumaMemoryPool(
            new NumaMemoryPoolOptions { LimitPerNode = Limit, Memory = _memory, Fallbacks = fallbacks });
        Assert.Throws<OutOfMemoryException>(() => pool.RentBlock(5_000_000));
        using var unlimited = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _memory, Fallbacks = fallbacks });
        _memory.OnReserve = static () => FaultyMemoryProvider.NoMemory;
        Assert.Throws<OutOfMemoryException>(() => unlimited.RentBlock(5_000_000));
        Assert.Empty(fallbacks.Current);
    }

    [Fact]
    public void Rent_DedicatedBeyondTheLimit_Throws()
    {
        using var pool = Create(Limit);

        Assert.Throws<OutOfMemoryException>(() => pool.Rent(5_000_000));
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void Rent_LimitTakenByFreeBlocksOfAnotherSize_TakesTheirMemory()
    {
        using var pool = Create(Limit);
        var small = Enumerable.Range(0, 200).Select(_ => pool.RentBlock()).ToList();
        small.ForEach(static block => block.Dispose());
        using var large = pool.RentBlock(512 * 1024);
        large.GetSpan().Fill(1);

        Assert.InRange(pool.CommittedBytes, 512 * 1024, Limit);
    }

    [Fact]
    public void Rent_BlocksInCachesOfOtherThreads_AreTakenBeforeFailing()
    {
        using var pool = Create(Limit);
        using var thread = new ParkedThread(() =>
        {
            var own = Enumerable.Range(0, 230).Select(_ => pool.RentBlock()).ToList();
            own.ForEach(static block => block.Dispose());
        });

        var blocks = Enumerable.Range(0, 240).Select(_ => pool.RentBlock()).ToList();
        thread.Dispose();
        blocks.ForEach(static block => block.Dispose());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Rent_SystemHasNoMemory_ThrowsWithTheReasonAndRecovers(bool reserveFails)
    {
        Func<NumaResult> fail = static () => FaultyMemoryProvider.NoMemory;
        _memory.OnReserve = reserveFails ? fail : _memory.OnReserve;
        _memory.OnCommit = reserveFails ? _memory.OnCommit : fail;
        using var pool = Create(0);

        var pooled = Assert.Throws<OutOfMemoryException>(() => pool.Rent());
        var large = Assert.Throws<OutOfMemoryException>(() => pool.Rent(3_000_000));
        Assert.Contains("ENOMEM", pooled.Message, StringComparison.Ordinal);
        Assert.Contains("ENOMEM", large.Message, StringComparison.Ordinal);
        Assert.Equal(0, pool.CommittedBytes);
        _memory.OnReserve = _memory.OnCommit = static () => NumaResult.Success;
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);
    }

    [Fact]
    public void Rent_ProviderThrowsAtACommit_PassesItOnAndRecovers()
    {
        using var pool = Create(0);
        var blocks = Enumerable.Range(0, 31).Select(_ => pool.RentBlock()).ToList();
        _memory.OnCommit = static () => throw new InvalidOperationException("No.");

        Assert.Throws<InvalidOperationException>(() =>
        {
            for (var i = 0; i < 1000; i++)
            {
                blocks.Add(pool.RentBlock());
            }
        });
        _memory.OnCommit = static () => NumaResult.Success;
        blocks.AddRange(Enumerable.Range(0, 1000).Select(_ => pool.RentBlock()));
        blocks.ForEach(static block => block.GetSpan().Fill(1));
        Assert.Equal((long)blocks.Count, pool.RentedBlocks);
        blocks.ForEach(static block => block.Dispose());
        pool.Trim();
        Assert.Equal((0L, 0), (pool.CommittedBytes, _memory.ReservationCount));
    }

    private NumaMemoryPool Create(long limit) =>
        new(new NumaMemoryPoolOptions { NodeId = new(4), LimitPerNode = limit, Memory = _memory });
}
