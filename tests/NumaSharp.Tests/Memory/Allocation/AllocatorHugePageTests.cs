using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>
/// An allocator on pages that are larger than its chunks: no part of one is bound or committed, which the provider refuses, or
/// given back.
/// </summary>
public sealed unsafe class AllocatorHugePageTests : IDisposable
{
    private const int Page = 2 << 20;
    private const int BlockSize = 200_000;

    // Four in a chunk.
    private const int BlocksPerPage = 8;

    private readonly FaultyMemoryProvider _memory = new() { PageSize = Page };
    private readonly List<NumaMemoryAdvice> _partly = [];

    public AllocatorHugePageTests() => _memory.OnAdvising = (address, size, advice) =>
    {
        if (((nuint)address | size) % Page != 0)
        {
            _partly.Add(advice);
        }
    };

    public void Dispose()
    {
        Assert.Empty(_partly);
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Theory]
    [InlineData(NumaMemoryCheckMode.None)]
    [InlineData(NumaMemoryCheckMode.Full)]
    public void Allocate_AllSizes_PagesAreCommittedWhole(NumaMemoryCheckMode checks)
    {
        using var allocator = Create(checks: checks);
        List<nint> blocks = [];
        for (var size = 1; size < 3 * Page; size = (size * 3 / 2) + 1)
        {
            blocks.Add((nint)allocator.AllocateZeroed((nuint)size, new(0)));
            Assert.True(new Span<byte>((void*)blocks[^1], size).IndexOfAnyExcept((byte)0) < 0);
            new Span<byte>((void*)blocks[^1], size).Fill(1);
            Assert.Equal(0, allocator.CommittedBytes % Page);
        }

        blocks.ForEach(block => allocator.Free((void*)block));
        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    public void Allocate_LimitThatIsNoMultipleOfAPage_IsKept()
    {
        using var allocator = Create(limit: (2 * Page) - 1);
        var blocks = new nint[BlocksPerPage];
        foreach (ref var block in blocks.AsSpan())
        {
            block = (nint)allocator.Allocate(BlockSize, new(0));
        }

        Assert.Throws<OutOfMemoryException>(() => allocator.Allocate(BlockSize, new(0)));
        Assert.Equal((Page, 1), (allocator.CommittedBytes, _memory.CommitCount));
        Array.ForEach(blocks, block => allocator.Free((void*)block));
    }

    [Fact]
    public void Allocate_AfterACommitWasRefused_TakesTheSamePage()
    {
        using var allocator = Create();
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        Assert.Throws<OutOfMemoryException>(() => allocator.Allocate(BlockSize, new(0)));
        Assert.Throws<OutOfMemoryException>(() => allocator.Allocate(BlockSize, new(0)));
        Assert.Equal(0, allocator.CommittedBytes);
        _memory.OnCommit = static () => NumaResult.Success;
        var block = allocator.Allocate(BlockSize, new(0));
        Assert.Equal(Page, allocator.CommittedBytes);
        allocator.Free(block);
        Assert.All(_memory.PlacedSizes, static size => Assert.Equal((nuint)Page, size));
    }

    // Parts of a page cannot be given back; large blocks are mappings of their own.
    [Fact]
    public void Trim_KeepsPagesOfChunksAndReleasesLargeBlocks()
    {
        using var allocator = Create();
        allocator.Free(allocator.Allocate(BlockSize, new(0)));
        allocator.Free(allocator.Allocate(Page + 1, new(0)));
        Assert.Equal(3 * Page, allocator.CommittedBytes);
        allocator.Trim();
        Assert.Equal(Page, allocator.CommittedBytes);
        allocator.Free(allocator.Allocate(BlockSize, new(0)));
        Assert.Equal(Page, allocator.CommittedBytes);
    }

    [Fact]
    public void Reallocate_WithinAPage_StaysWhereItIs()
    {
        using var allocator = Create();
        var block = allocator.Allocate(300_000, new(0));
        Assert.True(allocator.Reallocate(block, 310_000) == block);
        Assert.True(allocator.Reallocate(block, Page) == block);
        var small = allocator.Reallocate(block, 1000);
        Assert.True(small != block);
        allocator.Free(small);
    }

    [Fact]
    public void Apply_OtherNodesMemory_BindsWholePages()
    {
        var plan = TestMachines.Row(4, 4).Plan();
        using var allocator = new NumaAllocator(plan, new NumaAllocatorOptions { Memory = _memory });
        var kept = allocator.Allocate(BlockSize, new(1));
        allocator.Free(allocator.Allocate(BlockSize, new(1)));
        _memory.Placements.Clear();
        allocator.Apply(plan.Adapt(TestMachines.ReadAllowed("0-7", "0")).Plan);
        Assert.All(_memory.Placements, static placement => Assert.Equal("0", $"{placement.Nodes}"));
        Assert.NotEmpty(_memory.Placements);
        allocator.Free(kept);
        allocator.Trim();
        allocator.Free(allocator.Allocate(BlockSize, new(1)));
        Assert.Equal(Page, allocator.CommittedBytes);
        Assert.All(_memory.PlacedSizes, static size => Assert.Equal((nuint)0, size % Page));
    }

    [Fact]
    public void Create_PagesLargerThanItsRangesAreMultiplesOf_AreRefused() => Assert.Contains(
        "pages of at most 2097152 bytes",
        Assert.Throws<ArgumentException>(() => new NumaAllocator(
            TestMachines.WithIds(0).Plan(), new() { Memory = new FaultyMemoryProvider { PageSize = 2 * Page } })).Message,
        StringComparison.Ordinal);

    private NumaAllocator Create(long limit = 0, NumaMemoryCheckMode checks = NumaMemoryCheckMode.None) => new(
        TestMachines.WithIds(0).Plan(),
        new NumaAllocatorOptions { Memory = _memory, LimitPerNode = limit, Checks = checks });
}
