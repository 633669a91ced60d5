using NumaSharp.Core;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class AllocatorHardeningTests
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();

    [Theory]
    [InlineData(16)]
    [InlineData(5000)]
    [InlineData(200_000)]
    [InlineData(1_000_000)]
    public void Free_TwiceOrInside_ThrowsAndTheBlockIsGivenOutOnce(int size)
    {
        using var allocator = Create();
        var block = (byte*)allocator.Allocate((nuint)size);
        Assert.Throws<InvalidOperationException>(() => allocator.Free(block + 8));
        allocator.Free(block);

        Assert.Throws<InvalidOperationException>(() => allocator.Free(block));
        Assert.Throws<InvalidOperationException>(() => allocator.GetUsableSize(block));
        var first = allocator.Allocate((nuint)size);
        var second = allocator.Allocate((nuint)size);
        Assert.True(first != second);
        allocator.Free(first);
        allocator.Free(second);
    }

    [Fact]
    [Trait("kind", "stress")]
    public void Free_OneBlockOnManyThreads_SucceedsOnce()
    {
        using var allocator = Create();
        for (var round = 0; round < 200; round++)
        {
            var block = allocator.Allocate(64);
            var freed = 0;
            TestThreads.Run(2, _ =>
            {
                try
                {
                    allocator.Free(block);
                    Interlocked.Increment(ref freed);
                }
                catch (InvalidOperationException)
                {
                }
            });

            Assert.Equal(1, freed);
        }
    }

    [Fact]
    public void Allocate_ManyOfASize_AreInNoOrder()
    {
        using var allocator = Create();
        var blocks = Enumerable.Range(0, 200).Select(_ => (nint)allocator.Allocate(64)).ToList();
        var neighbours = blocks.Zip(blocks.Skip(1)).Count(static pair => pair.Second - pair.First == 64);

        Assert.InRange(neighbours, 0, 50);
        Assert.Equal(blocks.Count, blocks.Distinct().Count());
        blocks.ForEach(block => allocator.Free((void*)block));
    }

    [Fact]
    public void Allocate_EveryBlockOfAChunk_LeavesItsLastPageAlone()
    {
        using var allocator = Create();
        var page = (nint)_memory.PageSize;
        foreach (var size in new nuint[] { 16, 4096, 8192, 65_536, 262_144 })
        {
            var blocks = Enumerable.Range(0, 3 * AllocatorChunk.Size / (int)size)
                .Select(_ => (nint)allocator.Allocate(size))
                .ToList();
            Assert.All(blocks, block =>
                Assert.InRange((block % AllocatorChunk.Size) + (nint)size, 1, AllocatorChunk.Size - page));
            blocks.ForEach(block => allocator.Free((void*)block));
        }
    }

    [Fact]
    public void Allocate_Large_HasUncommittedPagesAroundIt()
    {
        using var allocator = Create();
        var block = (nint)allocator.Allocate(1_000_000);
        var page = (nint)_memory.PageSize;

        Assert.False(IsAccessible(block - page));
        Assert.True(IsAccessible(block));
        Assert.False(IsAccessible(block + (nint)allocator.GetUsableSize((void*)block)));
        allocator.Free((void*)block);
        Assert.False(IsAccessible(block));
    }

    [Fact]
    public void Free_ZeroOnFree_LeavesNothingBehind()
    {
        using var allocator = Create(zeroOnFree: true);
        var block = (byte*)allocator.Allocate(100);
        new Span<byte>(block, 100).Fill(1);
        allocator.Free(block);

        Assert.Equal(-1, new Span<byte>(block, 100).IndexOfAnyExcept((byte)0));
    }

    [Fact]
    public void GetLiveBlocks_NotChecked_ThrowsAndNamesTheOption()
    {
        using var allocator = Create();

        Assert.Contains(
            "Checks",
            Assert.Throws<InvalidOperationException>(() => allocator.GetLiveBlocks()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Constructor_ContradictingOptions_Throws()
    {
        var plan = TestMachines.WithIds(0, 2).Plan();

        Assert.Throws<ArgumentOutOfRangeException>(
            () => new NumaAllocator(plan, new NumaAllocatorOptions { Checks = (NumaMemoryCheckMode)7 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => new NumaAllocator(plan, new NumaAllocatorOptions { TraceEvery = -1 }));
        Assert.Throws<ArgumentException>(() => new NumaAllocator(plan, new NumaAllocatorOptions { ZeroOnFree = true }));
    }

    // The kernel's list: touching would end the process.
    private static bool IsAccessible(nint address)
    {
        foreach (var line in File.ReadLines("/proc/self/maps"))
        {
            var dash = line.IndexOf('-', StringComparison.Ordinal);
            var space = line.IndexOf(' ', StringComparison.Ordinal);
            if (Convert.ToInt64(line[..dash], 16) <= address && address < Convert.ToInt64(line[(dash + 1)..space], 16))
            {
                return line[space + 1] == 'r';
            }
        }

        return false;
    }

    private NumaAllocator Create(bool zeroOnFree = false) => new(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
    {
        Memory = _memory,
        Affinity = _threads,
        Checks = NumaMemoryCheckMode.Hardened,
        ZeroOnFree = zeroOnFree,
    });
}
