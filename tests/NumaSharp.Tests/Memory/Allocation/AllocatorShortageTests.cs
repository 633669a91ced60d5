using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Limits that are reached, and a system that refuses memory, binding and address space.</summary>
public sealed unsafe class AllocatorShortageTests
{
    private const int Chunk = 1024 * 1024;
    private const int Largest = 256 * 1024;

    private readonly FaultyMemoryProvider _memory = new();
    private readonly FaultyMemoryProvider _own = new();
    private readonly ThreadOnNode _threads = new();
    private readonly ManualTime _time = new();

    [Fact]
    public void Allocate_FreedLargeBlockTakesTheLimit_ItIsGivenUp()
    {
        using var allocator = Create(limit: 4 * Chunk);
        allocator.Free(allocator.Allocate(3_000_000));
        var blocks = Enumerable.Range(0, 12).Select(_ => (nint)allocator.Allocate(Largest)).ToList();

        Assert.Equal(4 * Chunk, allocator.CommittedBytes);
        blocks.ForEach(block => allocator.Free((void*)block));
    }

    [Fact]
    public void Allocate_ALargeBlockIsBeingUnmapped_NodeIsNotHeldUp()
    {
        using var allocator = Create();
        using var gate = new Gate();
        var freeing = FreeHeldUpBy(gate, allocator, (nint)allocator.Allocate(64 * Chunk));

        TestThreads.Run(() =>
        {
            foreach (var size in (int[])[16, Largest, 3_000_000])
            {
                allocator.Free(allocator.Allocate((nuint)size));
            }
        });

        Assert.False(freeing.IsCompleted);
        gate.Open();
        Wait.For(freeing);
    }

    [Fact]
    public void Allocate_TheLimitIsTakenByABlockThatIsBeingUnmapped_WaitsForIt()
    {
        using var allocator = Create(limit: 48 * Chunk);
        using var gate = new Gate();
        var freeing = FreeHeldUpBy(gate, allocator, (nint)allocator.Allocate(40 * Chunk));
        nint block = 0;
        var outcome = default(Exception);
        var allocating = TestThreads.Start(
            () => outcome = Record.Exception(() => { block = (nint)allocator.Allocate(40 * Chunk); }));
        Wait.UntilBlocked(allocating, () => $"{outcome}");

        gate.Open();
        Wait.For(freeing);
        Wait.For(allocating);
        Assert.Null(outcome);
        allocator.Free((void*)block);
    }

    [Fact]
    public void Allocate_SomeFreeChunksWereTrimmed_ThoseWithMemoryAreUsedFirst()
    {
        using var allocator = Create(limit: 4 * Chunk, keep: 2 * Chunk);
        TestThreads.Run(1, _ =>
            Enumerable.Range(0, 12).Select(_ => (nint)allocator.Allocate(Largest)).ToList()
                .ForEach(block => allocator.Free((void*)block)));
        _time.TickEach(3);
        Assert.Equal(2 * Chunk, allocator.CommittedBytes);

        var large = allocator.Allocate(2_000_000);
        var blocks = Enumerable.Range(0, 6).Select(_ => (nint)allocator.Allocate(Largest)).ToList();
        Assert.InRange(allocator.CommittedBytes, 3 * Chunk, 4 * Chunk);
        blocks.ForEach(block => allocator.Free((void*)block));
        allocator.Free(large);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(7)]
    public void Allocate_EverySoManyCommitsAreRefused_FailsCleanlyAndRecovers(int every)
    {
        var allocator = Create();
        var commits = 0;
        _memory.OnCommit = () => ++commits % every == 0 ? FaultyMemoryProvider.NoMemory : NumaResult.Success;
        var failures = FillAndFree(allocator, static () => { });

        Assert.True(every > 1 || failures == 10_000, $"{failures} failures.");
        Assert.True(commits > every);
        _memory.OnCommit = static () => NumaResult.Success;
        Assert.Equal(0, FillAndFree(allocator, static () => { }));
        AssertNothingIsLeft(allocator);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(5)]
    public void Strict_EverySoManyBindsAreRefused_FailsCleanlyAndRecovers(int every)
    {
        var allocator = Create(mode: NumaBindMode.Strict);
        var binds = 0;
        _memory.OnBind = () => ++binds % every == 0 ? FaultyMemoryProvider.NotPermitted : NumaResult.Success;
        var failures = FillAndFree(allocator, static () => { });

        Assert.InRange(failures, 1, binds);
        _memory.OnBind = static () => NumaResult.Success;
        Assert.Equal(0, FillAndFree(allocator, static () => { }));
        AssertNothingIsLeft(allocator);
    }

    [Fact]
    public void Free_NoMemoryForMagazines_BlocksAreKeptAndUsedAgain()
    {
        var allocator = Create();
        _own.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        Assert.Equal(0, FillAndFree(allocator, static () => { }));
        var committed = allocator.CommittedBytes;
        Assert.Equal(0, FillAndFree(allocator, static () => { }));

        Assert.Equal(committed, allocator.CommittedBytes);
        Assert.Equal(committed, allocator.Trim());
        AssertNothingIsLeft(allocator);
    }

    [Fact]
    public void Free_MemoryForMagazinesComesAndGoes_NoBlockIsLost()
    {
        var allocator = Create();
        var random = new Random(7);
        _own.OnCommit = () => random.Next(4) == 0 ? NumaResult.Success : FaultyMemoryProvider.NoMemory;
        Assert.Equal(0, FillAndFree(allocator, () => allocator.Trim()));
        AssertNothingIsLeft(allocator);
    }

    [Fact]
    public void Constructor_NoAddressSpaceForItsOwnData_LeavesNothingBehind()
    {
        _own.OnReserve = static () => FaultyMemoryProvider.NoMemory;

        Assert.Throws<OutOfMemoryException>(() => Create());
        Assert.Equal((0, 0), (_memory.ReservationCount, _own.ReservationCount));
    }

    [Fact]
    public void Constructor_NoMemoryForItsOwnData_LeavesNothingBehind()
    {
        _own.OnCommit = static () => FaultyMemoryProvider.NoMemory;

        Assert.Throws<OutOfMemoryException>(() => Create());
        Assert.Equal((0, 0), (_memory.ReservationCount, _own.ReservationCount));
    }

    [Theory]
    [InlineData(-1L)]
    [InlineData(1L)]
    [InlineData(50 * TimeSpan.TicksPerDay)]
    [InlineData(long.MaxValue)]
    public void Constructor_TrimAfterThatNoTimerTakes_ThrowsAndReservesNothing(long ticks)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new NumaAllocator(
            TestMachines.WithIds(0, 2).Plan(),
            new NumaAllocatorOptions { Memory = _memory, TrimAfter = TimeSpan.FromTicks(ticks) }));

        Assert.Contains("TrimAfter", exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, _memory.ReservationCount);
    }

    // Returns once the system has the block's memory, and the thread that freed it is held up.
    private Task FreeHeldUpBy(Gate gate, NumaAllocator allocator, nint block)
    {
        var reservations = _memory.ReservationCount;
        _memory.OnRelease = gate.Pass;
        var freeing = Task.Factory.StartNew(() => allocator.Free((void*)block), TaskCreationOptions.LongRunning);
        Wait.Until(() => freeing.IsCompleted || _memory.ReservationCount < reservations);
        return freeing;
    }

    // Blocks of all orders of magnitude, a few hundred in use; each is checked when it is freed.
    private int FillAndFree(NumaAllocator allocator, Action now)
    {
        var random = new Random(42);
        var held = new List<(nint Block, int Size, byte Mark)>();
        var failures = 0;
        for (var i = 0; i < 10_000; i++)
        {
            _threads.NodeId = new(random.Next(2) * 2);
            var size = 1 << random.Next(random.Next(50) == 0 ? 21 : 14);
            try
            {
                held.Add(((nint)allocator.Allocate((nuint)size, new(random.Next(3))), size, (byte)i));
                new Span<byte>((void*)held[^1].Block, size).Fill((byte)i);
            }
            catch (Exception exception) when (exception is OutOfMemoryException or NumaException)
            {
                failures++;
            }

            if (held.Count > 300 || i % 1000 == 999)
            {
                FreeHalf(allocator, held);
                now();
            }
        }

        FreeHalf(allocator, held, all: true);
        Assert.Equal(0, allocator.AllocatedBytes);
        return failures;
    }

    private static void FreeHalf(NumaAllocator allocator, List<(nint Block, int Size, byte Mark)> held, bool all = false)
    {
        var first = all ? 0 : held.Count / 2;
        foreach (var (block, size, mark) in held[first..])
        {
            Assert.Equal(-1, new Span<byte>((void*)block, size).IndexOfAnyExcept(mark));
            allocator.Free((void*)block);
        }

        held.RemoveRange(first, held.Count - first);
    }

    private void AssertNothingIsLeft(NumaAllocator allocator)
    {
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
        allocator.Dispose();
        Assert.Equal((0, 0), (_memory.ReservationCount, _own.ReservationCount));
    }

    private NumaAllocator Create(
        NumaBindMode mode = NumaBindMode.Advisory, long limit = 0, long keep = 0) =>
        new(TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = mode }), new NumaAllocatorOptions
        {
            Memory = _memory,
            OwnMemory = _own,
            Affinity = _threads,
            Fallbacks = new NumaFallbacks(),
            LimitPerNode = limit,
            KeepPerNode = keep,
            TrimAfter = TimeSpan.FromSeconds(1),
            Time = _time,
            AddressSpacePerNode = 1L << 30,
        });
}
