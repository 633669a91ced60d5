using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public abstract unsafe class AllocatorLifetimeTests(NumaMemoryCheckMode checks)
{
    private const int Chunk = 1024 * 1024;
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();
    private readonly NumaFallbacks _fallbacks = new();

    [Fact]
    public void Constructor_ProviderThrowsAtAnyReservation_GivesBackTheOthers()
    {
        var reservations = 0;
        for (var thrown = 1; ; thrown++)
        {
            var memory = new FaultyMemoryProvider();
            reservations = 0;
            memory.OnReserve = () => ++reservations == thrown
                ? throw new InvalidOperationException("planted")
                : NumaResult.Success;
            var options = new NumaAllocatorOptions { Memory = memory, OwnMemory = memory };
            if (Record.Exception(() => new NumaAllocator(TestMachines.WithIds(0, 1).Plan(), options).Dispose()) is { } exception)
            {
                Assert.IsType<InvalidOperationException>(exception);
                Assert.Equal(0, memory.ReservationCount);
                continue;
            }

            break;
        }

        // The range, the magazines, the map.
        Assert.Equal(3, reservations);
    }

    [Fact]
    public void Constructor_NoThreadForATimer_GivesEverythingBack()
    {
        var (memory, own) = (new FaultyMemoryProvider(), new FaultyMemoryProvider());
        var options = new NumaAllocatorOptions
        {
            Memory = memory,
            OwnMemory = own,
            Time = new ManualTime { MaxTimers = 0 },
            TrimAfter = TimeSpan.FromSeconds(1),
        };

        Assert.Throws<OutOfMemoryException>(() => new NumaAllocator(TestMachines.WithIds(0, 1).Plan(), options));

        Assert.Equal((0, 0), (memory.ReservationCount, own.ReservationCount));
    }

    [Fact]
    public void Allocate_WhileALargeBlockIsMapped_OthersNeedNotWait()
    {
        var memory = new FaultyMemoryProvider();
        using var allocator = new NumaAllocator(TestMachines.WithIds(0).Plan(), new NumaAllocatorOptions { Memory = memory });
        var ended = false;
        memory.OnReserve = () =>
        {
            memory.OnReserve = static () => NumaResult.Success;
            var thread = new Thread(() => allocator.Trim()) { IsBackground = true };
            thread.Start();
            Wait.For(thread);
            ended = true;
            return NumaResult.Success;
        };
        allocator.Free(allocator.Allocate(10_000_000));

        Assert.True(ended);
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    public void Dispose_BlocksInUse_StayValidAndReleaseWithTheLast()
    {
        var allocator = Create();
        var small = (byte*)allocator.Allocate(100);
        var large = (byte*)allocator.Allocate(1_000_000, nodeId: new(2));
        allocator.Dispose();
        allocator.Dispose();

        Assert.Throws<ObjectDisposedException>(() => (nint)allocator.Allocate(1));
        Assert.Throws<ObjectDisposedException>(() => (nint)allocator.Allocate(1_000_000));
        small[99] = large[999_999] = 1;
        allocator.Free(large);
        Assert.Equal(1, _memory.ReservationCount);
        allocator.Free(small);
        Assert.Equal(0, _memory.ReservationCount);
        Assert.Equal(0, allocator.CommittedBytes);
        Assert.Throws<InvalidOperationException>(() => allocator.Free(small));
    }

    [Fact]
    public void Trim_EverythingFree_GivesItBackAndWorksOn()
    {
        using var allocator = Create();
        var blocks = Enumerable.Range(0, 5000).Select(i => (nint)allocator.Allocate((nuint)(i % 300) * 40)).ToList();
        var committed = allocator.CommittedBytes;
        blocks.ForEach(block => allocator.Free((void*)block));

        Assert.Equal(committed, allocator.Trim());
        Assert.Equal(0, allocator.CommittedBytes);
        Assert.Equal(0, allocator.Trim());
        var again = (byte*)allocator.AllocateZeroed(4000);
        Assert.Equal(checks == NumaMemoryCheckMode.None ? Chunk : Chunk - (int)_memory.PageSize, allocator.CommittedBytes);
        allocator.Free(again);
    }

    [Fact]
    public void Trim_FirstTouchInsteadOfBinding_TouchesAgainWhatWasTrimmed()
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var allocator = Create();
        allocator.Free(allocator.Allocate(100));
        var commits = _memory.CommitCount;
        allocator.Trim();
        var block = allocator.Allocate(100);

        Assert.Equal(commits + 1, _memory.CommitCount);
        allocator.Free(block);
        Assert.Equal("memory.bind", Assert.Single(_fallbacks.Current).Feature);
    }

    [Fact]
    public void Allocate_SizesChange_ChunksAreUsedAgain()
    {
        using var allocator = Create();
        for (var round = 0; round < 20; round++)
        {
            var size = (nuint)(round % 2 == 0 ? 64 : 100_000);
            var blocks = Enumerable.Range(0, 3 * Chunk / (int)size).Select(_ => (nint)allocator.Allocate(size)).ToList();
            blocks.ForEach(block => allocator.Free((void*)block));
        }

        // Freed blocks that wait to be checked are 16 MiB at most.
        Assert.InRange(allocator.CommittedBytes, 1, (checks == NumaMemoryCheckMode.Full ? 24 : 8) * Chunk);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(40_000)]
    [InlineData(300_000)]
    public void Allocate_BeyondTheLimit_ThrowsWithNodeAndLimitAndRecovers(int size)
    {
        const int Limit = 4 * Chunk;
        using var allocator = Create(limit: Limit);
        var blocks = new List<nint>();
        var exception = Assert.Throws<OutOfMemoryException>(() =>
        {
            for (var i = 0; i < Limit; i++)
            {
                blocks.Add((nint)allocator.Allocate((nuint)size, nodeId: new(2)));
            }
        });

        Assert.Contains("node 2", exception.Message, StringComparison.Ordinal);
        Assert.Contains("4194304", exception.Message, StringComparison.Ordinal);
        Assert.InRange(allocator.GetStatistics(new(2)).CommittedBytes, 3 * Chunk, Limit);
        Assert.Equal(Limit, allocator.GetStatistics(new(2)).LimitBytes);
        allocator.Free(allocator.Allocate((nuint)size, nodeId: new(0)));
        allocator.Free((void*)blocks[0]);
        blocks[0] = (nint)allocator.Allocate((nuint)size, nodeId: new(2));
        blocks.ForEach(block => allocator.Free((void*)block));
        allocator.Free(allocator.Allocate(3_000_000, nodeId: new(2)));
    }

    [Theory]
    [InlineData(64)]
    [InlineData(2_000_000)]
    public void Allocate_SystemHasNoMemory_ThrowsWithTheReasonAndRecovers(int size)
    {
        using var allocator = Create();
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        var exception = Assert.Throws<OutOfMemoryException>(() => (nint)allocator.Allocate((nuint)size));

        Assert.Contains("ENOMEM", exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, allocator.CommittedBytes);
        _memory.OnCommit = static () => NumaResult.Success;
        allocator.Free(allocator.Allocate((nuint)size));
    }

    [Theory]
    [InlineData(64)]
    [InlineData(2_000_000)]
    public void Strict_Refused_ThrowsWithNodeAndError(int size)
    {
        _memory.OnBind = static () => FaultyMemoryProvider.NotPermitted;
        using var allocator = Create(NumaBindMode.Strict);
        var exception = Assert.Throws<NumaException>(() => (nint)allocator.Allocate((nuint)size, nodeId: new(2)));

        Assert.Equal((2, "EPERM"), (exception.NodeId?.Value, exception.Result?.ErrorName));
        Assert.Equal(1, _memory.ReservationCount);
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    // After four halvings there is some; a quarter of that is taken, but not less than the least.
    [Theory]
    [InlineData(16L << 30, 256L << 20)]
    [InlineData(1L << 30, 64L << 20)]
    public void Constructor_LittleAddressSpace_TakesLess(long addressSpace, long perNode)
    {
        var refusals = 4;
        _memory.OnReserve = () => refusals-- > 0 ? FaultyMemoryProvider.NoMemory : NumaResult.Success;
        using var allocator = Create(addressSpace: addressSpace);

        // With checks there are pages without access before and behind it.
        var guards = checks == NumaMemoryCheckMode.None ? 0 : (2L << 20) + (long)_memory.PageSize;
        Assert.Equal((2 * perNode) + guards, (long)_memory.LargestReservation);
        allocator.Free(allocator.Allocate(100));
    }

    [Fact]
    public void Constructor_NoAddressSpace_ThrowsOutOfMemory()
    {
        _memory.OnReserve = static () => FaultyMemoryProvider.NoMemory;

        Assert.Throws<OutOfMemoryException>(() => Create());
    }

    [Fact]
    public void Allocate_RangeIsFull_ThrowsAndSaysSo()
    {
        using var allocator = Create(addressSpace: 64L << 20);
        var blocks = new List<nint>();
        var exception = Assert.Throws<OutOfMemoryException>(() =>
        {
            for (var i = 0; i <= 64 * 5; i++)
            {
                blocks.Add((nint)allocator.Allocate(200 * 1024));
            }
        });

        Assert.Contains("address range is full", exception.Message, StringComparison.Ordinal);
        blocks.ForEach(block => allocator.Free((void*)block));
    }

    [Theory]
    [InlineData(-1, 64L << 20)]
    [InlineData(0, 1000)]
    [InlineData(0, 1L << 60)]
    public void Constructor_OptionOutOfRange_Throws(long limit, long addressSpace) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Create(limit: limit, addressSpace: addressSpace));

    private NumaAllocator Create(
        NumaBindMode mode = NumaBindMode.Advisory, long limit = 0, long addressSpace = 1L << 30) =>
        new(TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = mode }), new NumaAllocatorOptions
        {
            Memory = _memory,
            Affinity = _threads,
            Fallbacks = _fallbacks,
            LimitPerNode = limit,
            AddressSpacePerNode = addressSpace,
            Checks = checks,
            TraceEvery = 100,
        });

    public sealed class Unchecked() : AllocatorLifetimeTests(NumaMemoryCheckMode.None);

    public sealed class Checked() : AllocatorLifetimeTests(NumaMemoryCheckMode.Full);

    public sealed class Hardened() : AllocatorLifetimeTests(NumaMemoryCheckMode.Hardened);
}
