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
        Assert.Equal(2, fallbacks.ReportCount);

        _memory.OnCommit = static () => NumaResult.Success;
        pool.RentBlock().Dispose();
        Assert.Empty(fallbacks.Current);
    }

    [Fact]
    public void Rent_InterruptedWhileItsSuccessIsReported_SucceedsAndTheShortageIsOver()
    {
        using var gate = new Gate();
        using var reporting = new ManualResetEventSlim();
        var fallbacks = new NumaFallbacks();
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _memory, Fallbacks = fallbacks });
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        Assert.Throws<OutOfMemoryException>(() => pool.RentBlock());
        _memory.OnCommit = static () => NumaResult.Success;

        // Another report is held up in the middle.
        var subject = new HeldSubject(reporting, gate);
        var one = TestThreads.Start(() => fallbacks.Claim(new NumaFallback("test.held", "Held."), subject));
        Wait.For(reporting);
        var outcome = default(Exception);
        var other = TestThreads.Start(() =>
        {
            Thread.CurrentThread.Interrupt();
            outcome = Record.Exception(() => pool.RentBlock(5_000_000).Dispose());
        });
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);

        Assert.Null(outcome);
        Assert.Equal("test.held", Assert.Single(fallbacks.Current).Feature);
        Assert.Equal((0L, 0), (pool.CommittedBytes, _memory.ReservationCount));
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

    [Theory]
    [InlineData(5_000_000)]
    [InlineData(1 << 20)]
    public void Rent_WhileALargeBlockIsGivenBack_WaitsForItsMemory(int size)
    {
        using var gate = new Gate();
        using var releasing = new ManualResetEventSlim();
        using var pool = Create(6_000_000);
        var large = pool.RentBlock(5_900_000);
        _memory.OnRelease = () =>
        {
            releasing.Set();
            gate.Pass();
        };
        var one = TestThreads.Start(large.Dispose);
        Wait.For(releasing);
        var outcome = default(Exception);
        var other = TestThreads.Start(() => outcome = Record.Exception(() => pool.RentBlock(size).Dispose()));

        // Without waiting it fails here.
        Wait.UntilBlocked(other, () => $"{outcome}");
        gate.Open();
        Wait.For(one);
        Wait.For(other);
        Assert.Null(outcome);
        pool.Trim();
        Assert.Equal((0L, 0), (pool.CommittedBytes, _memory.ReservationCount));
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

    // A collection that another test causes has the pool check them, too.
    [Fact]
    public void Rent_AnotherThreadKeepsAllFreeBlocks_TakesOneWithoutCheckingAllOwners()
    {
        using var pool = Create(64 * 4160);
        var blocks = Enumerable.Range(0, 60).Select(_ => pool.RentBlock()).ToList();
        var least = long.MaxValue;
        for (var i = 0; i < 10; i++)
        {
            NumaMemoryPool.SpillThreadCache();
            using var other = new ParkedThread(() => pool.RentBlock().Dispose());
            var before = pool.CheckedOwners;
            var last = pool.RentBlock();
            least = Math.Min(least, pool.CheckedOwners - before);
            last.Dispose();
        }

        blocks.ForEach(static block => block.Dispose());
        Assert.Equal(0, least);
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

    // As when the managed heap is at its limit: the array of a slab's owners would have 2^31 elements.
    [Theory]
    [InlineData(37, 64)]
    [InlineData(52, 1 << 21)]
    public void Rent_MappingCannotBeRecorded_ItIsGivenBack(int pageShift, int size)
    {
        var memory = new EndlessMemory(pageShift);
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { BlockSize = 64, Memory = memory });

        Assert.Throws<OverflowException>(() => pool.RentBlock(size));
        Assert.Equal((0L, 0L, 0), (pool.CommittedBytes, pool.RentedBlocks, memory.ReservationCount));
    }

    private NumaMemoryPool Create(long limit) =>
        new(new NumaMemoryPoolOptions { NodeId = new(4), LimitPerNode = limit, Memory = _memory });

    /// <summary>
    /// Has pages of any size, and nothing behind them. Not a FaultyMemoryProvider, which reserves address space: there is not
    /// that much.
    /// </summary>
    private sealed class EndlessMemory(int pageShift) : INumaMemoryProvider
    {
        public int ReservationCount { get; private set; }

        public string Name => "Endless";

        public nuint PageSize { get; } = (nuint)1 << pageShift;

        public NumaResult Reserve(nuint size, nuint alignment, out nint address)
        {
            address = (nint)PageSize;
            ReservationCount++;
            return NumaResult.Success;
        }

        public NumaResult Commit(nint address, nuint size) => NumaResult.Success;

        public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => NumaResult.Success;

        public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => NumaResult.Success;

        public NumaResult Release(nint address, nuint size)
        {
            ReservationCount--;
            return NumaResult.Success;
        }

        public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
        {
            nodeId = null;
            return NumaResult.Success;
        }
    }

    /// <summary>Has a hash code that takes its time.</summary>
    private sealed class HeldSubject(ManualResetEventSlim asked, Gate gate)
    {
        public override bool Equals(object? obj) => ReferenceEquals(this, obj);

        public override int GetHashCode()
        {
            asked.Set();
            gate.Pass();
            return 0;
        }
    }
}
