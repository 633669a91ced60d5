using System.Runtime.CompilerServices;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class AllocatorChecksTests : IDisposable
{
    private const int Held = 1024;

    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();
    private readonly NumaFallbacks _fallbacks = new();
    private readonly NumaAllocator _allocator;

    public AllocatorChecksTests() => _allocator = Create();

    public void Dispose()
    {
        _allocator.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(0)]
    [InlineData(262_144)]
    [InlineData(1_000_000)]
    public void Free_Twice_NamesBlockAndBothPlaces(int size)
    {
        var block = AllocateHere(size);
        FreeHere(block);

        var message = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block)).Message;
        Assert.Contains($"0x{(nint)block:x}", message, StringComparison.Ordinal);
        Assert.Contains("already freed", message, StringComparison.Ordinal);
        Assert.Contains($"{size} bytes", message, StringComparison.Ordinal);
        Assert.Contains($"allocated at [{GetType().FullName}.{nameof(AllocateHere)}+", message, StringComparison.Ordinal);
        Assert.Contains($"freed at [{GetType().FullName}.{nameof(FreeHere)}+", message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(1_000_000)]
    public void Free_InsideABlock_NamesTheBlock(int size)
    {
        var block = AllocateHere(size);

        var message = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block + 50)).Message;
        Assert.Contains("50 bytes inside", message, StringComparison.Ordinal);
        Assert.Contains(nameof(AllocateHere), message, StringComparison.Ordinal);
        FreeHere(block);
    }

    [Fact]
    public void Free_BeforeABlock_Throws()
    {
        var block = AllocateHere(100);

        Assert.Throws<InvalidOperationException>(() => _allocator.Free(block - 16));
        FreeHere(block);
    }

    [Theory]
    [InlineData(1, 0, 1)]
    [InlineData(100, 0, 1)]
    [InlineData(100, 2, 3)]
    [InlineData(4096, 7, 8)]
    [InlineData(262_145, 0, 1)]
    public void Free_WrittenBehind_SaysHowFarAndFreesAllTheSame(int size, int offset, int bytes)
    {
        var block = AllocateHere(size);
        block[size + offset] = 0;

        var message = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block)).Message;
        Assert.Contains($"The {bytes} bytes behind the block of {size} bytes", message, StringComparison.Ordinal);
        Assert.Contains(nameof(AllocateHere), message, StringComparison.Ordinal);
        Assert.Equal(0, _allocator.AllocatedBytes);
    }

    [Fact]
    public void Free_WrittenBefore_SaysHowFar()
    {
        var block = AllocateHere(100);
        block[-3] = 0;

        var message = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block)).Message;
        Assert.Contains("The 3 bytes before the block of 100 bytes", message, StringComparison.Ordinal);
    }

    [Fact]
    public void Free_AlignedAndWrittenAround_SaysBothSides()
    {
        var block = (byte*)_allocator.AllocateAligned(100, 4096);
        block[-1] = block[100] = 0;

        var message = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block)).Message;
        Assert.Contains("The 1 bytes before and the 1 bytes behind", message, StringComparison.Ordinal);
    }

    [Fact]
    public void Reallocate_WrittenBehind_ThrowsAndDoesNothing()
    {
        var block = AllocateHere(100);
        block[100] = 0;

        Assert.Throws<InvalidOperationException>(() => (nint)_allocator.Reallocate(block, 101));
        Assert.Equal(100, _allocator.AllocatedBytes);
        Assert.Throws<InvalidOperationException>(() => _allocator.Free(block));
    }

    [Fact]
    public void Reallocate_AnySize_MovesAndForgetsTheOldAddress()
    {
        var block = AllocateHere(100);
        var moved = (byte*)_allocator.Reallocate(block, 99);

        Assert.True(moved != block);
        Assert.Equal(99u, _allocator.GetUsableSize(moved));
        Assert.Throws<InvalidOperationException>(() => _allocator.GetUsableSize(block));
        _allocator.Free(moved);
    }

    [Fact]
    public void Allocate_New_IsFilledButNotZeroAndEndsWhereItWasAskedTo()
    {
        var block = AllocateHere(33);
        var zeroed = (byte*)_allocator.AllocateZeroed(33);

        Assert.Equal(-1, new Span<byte>(block, 33).IndexOfAnyExcept((byte)0xA5));
        Assert.Equal(-1, new Span<byte>(zeroed, 33).IndexOfAnyExcept((byte)0));
        Assert.Equal(33u, _allocator.GetUsableSize(block));
        FreeHere(block);
        _allocator.Free(zeroed);
        Assert.Equal(-1, new Span<byte>(block, 33).IndexOfAnyExcept((byte)0x5A));
    }

    [Fact]
    public void Free_ManyAfterAWriteIntoAFreedBlock_OneSaysWhoseItWas()
    {
        var block = AllocateHere(100);
        FreeHere(block);
        block[42] = 1;

        var message = Assert.Throws<InvalidOperationException>(() =>
        {
            for (var i = 0; i <= Held; i++)
            {
                _allocator.Free(_allocator.Allocate(100));
            }
        }).Message;
        Assert.Contains("The block of 100 bytes", message, StringComparison.Ordinal);
        Assert.Contains("written to at offset 42 after it had been freed", message, StringComparison.Ordinal);
        Assert.Contains(nameof(FreeHere), message, StringComparison.Ordinal);
    }

    [Fact]
    public void Allocate_WrittenWhileTheBlockWasInNoQuarantineAnyMore_Throws()
    {
        var block = AllocateHere(100);
        FreeHere(block);
        var others = Enumerable.Range(0, Held).Select(_ => (nint)_allocator.Allocate(5000)).ToList();
        others.ForEach(other => _allocator.Free((void*)other));
        block[99] = 1;

        var held = new List<nint>();
        var message = Assert.Throws<InvalidOperationException>(() =>
        {
            for (var i = 0; i < 10_000; i++)
            {
                held.Add((nint)_allocator.Allocate(100));
            }
        }).Message;
        Assert.Contains("written to at offset 99 after it had been freed", message, StringComparison.Ordinal);
        held.ForEach(other => _allocator.Free((void*)other));
    }

    [Fact]
    public void Trim_WrittenBehindABlockInUse_Throws()
    {
        var block = AllocateHere(100);
        block[103] = 0;

        Assert.Contains(
            "The 4 bytes behind",
            Assert.Throws<InvalidOperationException>(() => _allocator.Trim()).Message,
            StringComparison.Ordinal);
        block[103] = block[102];
        _allocator.Trim();
        FreeHere(block);
    }

    [Fact]
    public void Trim_WrittenAfterFree_ThrowsOnceAndTrims()
    {
        var block = AllocateHere(100);
        FreeHere(block);
        block[0] = 1;

        Assert.Throws<InvalidOperationException>(() => _allocator.Trim());
        Assert.Equal(0, _allocator.CommittedBytes);
        Assert.Equal(0, _allocator.Trim());
    }

    [Fact]
    public void Dispose_WrittenBehindABlock_ReportsDamageAndLeak()
    {
        var allocator = Create();
        var block = (byte*)allocator.Allocate(100, nodeId: new(2));
        block[100] = 0;
        allocator.Dispose();

        Assert.Equal(["memory.damage", "memory.leak"], _fallbacks.Current.Select(static fallback => fallback.Feature));
        Assert.Contains("The 1 bytes behind", _fallbacks.Current[0].Message, StringComparison.Ordinal);
        Assert.Contains("1 of 100 bytes on node 2 from", _fallbacks.Current[1].Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => allocator.Free(block));
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void Dispose_NothingInUse_ReportsNothing()
    {
        var allocator = Create();
        allocator.Free(allocator.Allocate(100));
        allocator.Free(allocator.Allocate(1_000_000));
        allocator.Dispose();

        Assert.Empty(_fallbacks.Current);
        Assert.Equal(0, allocator.CommittedBytes);
    }

    [Fact]
    public void GetLiveBlocks_SeveralPlaces_AreGroupedWithTheMostBytesFirst()
    {
        var blocks = Enumerable.Range(0, 5).Select(_ => (nint)AllocateHere(100)).ToList();
        blocks.Add((nint)_allocator.Allocate(2_000_000, nodeId: new(2)));

        var live = _allocator.GetLiveBlocks();
        Assert.Equal(
            [(2, 1L, 2_000_000L), (0, 5L, 500L)], live.Select(static site => (site.NodeId.Value, site.Blocks, site.Bytes)));
        Assert.StartsWith($"{GetType().FullName}.{nameof(AllocateHere)}+0x", live[1].Site, StringComparison.Ordinal);
        blocks.ForEach(block => _allocator.Free((void*)block));
        Assert.Empty(_allocator.GetLiveBlocks());
    }

    [Fact]
    public void GetLiveBlocks_NoTraces_HasNoPlaces()
    {
        using var allocator = Create(traceEvery: 0);
        var block = allocator.Allocate(10);

        Assert.Equal([new NumaLiveBlocks(string.Empty, new(0), 1, 10)], allocator.GetLiveBlocks());
        allocator.Free(block);
    }

    private NumaAllocator Create(int traceEvery = 1) => new(TestMachines.WithIds(0, 2).Plan(), new NumaAllocatorOptions
    {
        Memory = _memory,
        Affinity = _threads,
        Fallbacks = _fallbacks,
        Checks = NumaMemoryCheckMode.Full,
        TraceEvery = traceEvery,
    });

    [MethodImpl(MethodImplOptions.NoInlining)]
    private byte* AllocateHere(int size) => (byte*)_allocator.Allocate((nuint)size);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeHere(byte* block) => _allocator.Free(block);
}
