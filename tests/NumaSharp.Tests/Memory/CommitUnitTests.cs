using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Core.Linux;

namespace NumaSharp.Tests.Core.Memory;

/// <summary>Providers whose memory is best committed in larger parts: transparent huge pages.</summary>
public sealed unsafe class CommitUnitTests
{
    private const int Unit = 2 << 20;
    private const string NoHugePage = "the system gives no transparent huge page (transparent_hugepage/enabled, free memory)";

    private readonly FaultyMemoryProvider _memory = new() { CommitUnit = Unit };

    [Theory]
    [InlineData(4096, 0, 1, Unit)]
    [InlineData(4096, 0, 600, 2 * Unit)]
    [InlineData(1 << 20, 0, 1, Unit)]
    [InlineData(4096, 1 << 20, 1, 132 * 1024)]
    [InlineData(4096, Unit + (1 << 20), 520, Unit + (132 * 1024))]
    public void Rent_Pool_CommitsUnitsWhereTheLimitHasRoom(int blockSize, long limit, int count, long committed)
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions
        {
            BlockSize = blockSize,
            LimitPerNode = limit,
            Memory = _memory,
        });
        var blocks = Enumerable.Range(0, count).Select(_ => pool.RentBlock()).ToList();
        blocks.ForEach(static block => block.GetSpan().Fill(1));

        Assert.Equal((committed, committed), (pool.CommittedBytes, (long)_memory.CommittedBytes));
        blocks.ForEach(static block => block.Dispose());
        Assert.Equal(committed, pool.Trim());
    }

    [Theory]
    [InlineData(0, 64, Unit)]
    [InlineData(0, 200_000, Unit)]
    [InlineData(1 << 20, 64, 1 << 20)]
    public void Allocate_Allocator_CommitsUnitsWhereTheLimitHasRoom(long limit, int size, long committed)
    {
        using var allocator = Create(limit);
        var block = allocator.Allocate((nuint)size);
        Assert.Equal(committed, allocator.CommittedBytes);
        allocator.Free(block);

        // Both halves are used before more is committed.
        var blocks = Enumerable.Range(0, (int)(committed / 262_144)).Select(_ => (nint)allocator.Allocate(200_000)).ToList();
        Assert.InRange(allocator.CommittedBytes, committed, committed + Unit);
        blocks.ForEach(address => allocator.Free((void*)address));
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void Allocate_UnitRefused_FailsAndRecovers()
    {
        using var allocator = Create(limit: 0);
        _memory.OnCommit = static () => FaultyMemoryProvider.NoMemory;
        Assert.Throws<OutOfMemoryException>(() => allocator.Allocate(64));
        _memory.OnCommit = static () => NumaResult.Success;
        var block = allocator.Allocate(64);
        allocator.Free(block);
        allocator.Trim();
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void TransparentHugePageMemory_FirstTouch_PoolAndAllocatorHaveHugePages()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs madvise(2)");
        Assert.SkipUnless(KernelMemory.OnHugeAdvised(IsHugeAfterTouch), NoHugePage);
        var shortages = KernelMemory.HugePageShortages;
        var memory = new TransparentHugePageMemoryProvider(new LinuxMemoryProvider(), new NumaFallbacks());
        Assert.Equal(((nuint)Unit, memory.PageSize), (memory.CommitUnit, new LinuxMemoryProvider().PageSize));
        memory.Reserve(Unit, memory.PageSize, out var unit).ThrowIfFailed("mmap");
        memory.Commit(unit, Unit).ThrowIfFailed("mprotect");
        AssertIsHugeAfterTouch(unit, shortages, "provider");
        memory.Release(unit, Unit).ThrowIfFailed("munmap");

        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { BindMode = NumaBindMode.None, Memory = memory });
        using var rented = pool.RentBlock();
        AssertIsHugeAfterTouch((nint)rented.Pointer, shortages, "pool");
        using var allocator = new NumaAllocator(
            TestMachines.WithIds(0, 2).Plan(new NumaPlanRequest { BindMode = NumaBindMode.None }),
            new NumaAllocatorOptions { Memory = memory });
        var block = allocator.Allocate(4000);
        AssertIsHugeAfterTouch((nint)block, shortages, "allocator");
        allocator.Free(block);
    }

    [Fact]
    public void TransparentHugePageMemory_RefusedToBeAsked_IsAFallbackUntilItIsNot()
    {
        var fallbacks = new NumaFallbacks();
        var memory = new TransparentHugePageMemoryProvider(_memory, fallbacks);
        _memory.OnAdvise = static () => FaultyMemoryProvider.NoMemory;
        ReserveAndRelease(memory.PageSize);
        Assert.Empty(fallbacks.Current);
        ReserveAndRelease(Unit);
        ReserveAndRelease(Unit);
        Assert.Equal(("memory.hugepages", 2), (Assert.Single(fallbacks.Current).Feature, fallbacks.ReportCount));

        _memory.OnAdvise = static () => NumaResult.Success;
        ReserveAndRelease(Unit);
        Assert.Empty(fallbacks.Current);

        void ReserveAndRelease(nuint size)
        {
            memory.Reserve(size, memory.PageSize, out var address).ThrowIfFailed("mmap");
            memory.Release(address, size).ThrowIfFailed("munmap");
        }
    }

    // Where the kernel counts a shortage, it has tried: the memory was right, but other processes took the last free huge page.
    private static void AssertIsHugeAfterTouch(nint address, long shortagesBefore, string owner)
    {
        if (!IsHugeAfterTouch(address))
        {
            Assert.SkipUnless(KernelMemory.HugePageShortages == shortagesBefore, NoHugePage);
            Assert.Fail(owner);
        }
    }

    private static bool IsHugeAfterTouch(nint address)
    {
        *(byte*)address = 1;
        var isThere = false;
        foreach (var line in File.ReadLines("/proc/self/smaps"))
        {
            // "7f0000000000-7f0000200000 rw-p ...", and then "Name:  value kB" for each figure.
            if (line.Split(' ', 2)[0].Split('-') is [var start, var end])
            {
                isThere = address >= HexOf(start) && address < HexOf(end);
            }
            else if (isThere && line.StartsWith("AnonHugePages:", StringComparison.Ordinal))
            {
                return !line.EndsWith(" 0 kB", StringComparison.Ordinal);
            }
        }

        return false;
    }

    private static nint HexOf(string address) => nint.Parse(address, NumberStyles.HexNumber, CultureInfo.InvariantCulture);

    private NumaAllocator Create(long limit) => new(TestMachines.WithIds(0).Plan(), new NumaAllocatorOptions
    {
        LimitPerNode = limit,
        Memory = _memory,
    });
}
