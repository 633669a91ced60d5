using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Large blocks that come back cold: the pool keeps their room, and the system gets their pages.</summary>
public sealed unsafe class PoolColdBlockTests
{
    private const int Large = 128 << 10;

    private readonly FaultyMemoryProvider _memory = new();
    private int _advices;

    public PoolColdBlockTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "madvise is Linux's.");

    [Fact]
    public void DisposeCold_LargeBlock_IsFreeWithoutItsPages()
    {
        using var pool = Create();
        using var neighbour = RentFilled(pool, Large, 1);
        var block = RentFilled(pool, Large, 2);
        using var other = RentFilled(pool, Large, 3);
        var (address, committed) = ((nint)block.Pointer, pool.CommittedBytes);
        block.DisposeCold();

        Assert.Equal((2L, committed), (pool.RentedBlocks, pool.CommittedBytes));
        Assert.Throws<ObjectDisposedException>(block.DisposeCold);
        using var next = pool.RentBlock(Large);
        Assert.Equal(address, (nint)next.Pointer);

        Assert.Equal(-1, next.GetSpan().IndexOfAnyExcept((byte)0));
        Assert.Equal(-1, neighbour.GetSpan().IndexOfAnyExcept((byte)1));
        Assert.Equal(-1, other.GetSpan().IndexOfAnyExcept((byte)3));
    }

    [Theory]
    [InlineData(Large)]
    [InlineData(2 * Large)]
    [InlineData(4 * Large)]
    [InlineData(8 * Large)]
    public void DisposeCold_LargeBlock_GivesBackAllOfItsPagesAndNoOther(int size)
    {
        const int Page = 4096;
        using var pool = Create();
        NumaMemoryBlock[] blocks = [.. Enumerable.Range(1, 3).Select(content => RentFilled(pool, size, (byte)content))];
        Array.Sort(blocks, static (x, y) => ((nint)x.Pointer).CompareTo((nint)y.Pointer));
        nint[] starts = [.. blocks.Select(static block => (nint)block.Pointer)];
        var given = new List<(nint, nuint, NumaMemoryAdvice)>();
        _memory.OnAdvising = (address, bytes, advice) => given.Add((address, bytes, advice));
        blocks[1].DisposeCold();

        Assert.Equal([(starts[1] & -Page, (nuint)(size + Page), NumaMemoryAdvice.Reset)], given);
        Assert.Single(blocks[0].GetSpan().ToArray().Distinct());
        Assert.Single(blocks[2].GetSpan().ToArray().Distinct());

        // Still of different colours, for at most a page in 32.
        Assert.Equal(3, starts.Select(static start => start % Page / 64).Distinct().Count());
        Assert.InRange((starts[2] - starts[0]) / 2, size, size + (size / 32) + 64);
        blocks[0].Dispose();
        blocks[2].Dispose();
    }

    [Fact]
    public void DisposeCold_SystemRefuses_BlockIsFreeAsItWas()
    {
        _memory.OnAdvise = static () => FaultyMemoryProvider.Invalid;
        using var pool = Create();
        RentFilled(pool, Large, 7).DisposeCold();

        using var next = pool.RentBlock(Large);
        Assert.Equal(-1, next.GetSpan().IndexOfAnyExcept((byte)7));
        Assert.Equal(1, pool.RentedBlocks);
    }

    [Theory]
    [InlineData(4096, false, NumaMemoryCheckMode.None)]
    [InlineData(3_000_000, false, NumaMemoryCheckMode.None)]
    [InlineData(Large, true, NumaMemoryCheckMode.None)]
    [InlineData(Large, false, NumaMemoryCheckMode.Hardened)]
    public void DisposeCold_SmallOrWrittenOrUnmappedAnyway_AsksNothing(int size, bool zeroes, NumaMemoryCheckMode checks)
    {
        using var pool = Create(zeroes, checks);
        var block = RentFilled(pool, size, 7);
        CountAdvices();
        block.DisposeCold();

        Assert.Equal((0, 0L), (_advices, pool.RentedBlocks));
    }

    // Where mbind is refused, pages that come back are of the node of whichever thread uses them next.
    [Fact]
    public void DisposeCold_PagesAreTouchedFirst_StayWhereTheyAre()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            Memory = _memory,
            Fallbacks = new NumaFallbacks(),
            FirstTouchCpus = CpuSet.FromIds(0),
        });
        var block = RentFilled(pool, Large, 7);
        CountAdvices();
        block.DisposeCold();

        Assert.Equal((0, 0L), (_advices, pool.RentedBlocks));
    }

    private static NumaMemoryBlock RentFilled(NumaMemoryPool pool, int size, byte content)
    {
        var block = pool.RentBlock(size);
        block.GetSpan().Fill(content);
        return block;
    }

    private void CountAdvices() => _memory.OnAdvise = () =>
    {
        _advices++;
        return NumaResult.Success;
    };

    private NumaMemoryPool Create(bool zeroes = false, NumaMemoryCheckMode checks = NumaMemoryCheckMode.None) => new(
        new NumaMemoryPoolOptions
        {
            Memory = _memory,
            Fallbacks = new NumaFallbacks(),
            ZeroOnReturn = zeroes,
            Checks = checks,
        });
}
