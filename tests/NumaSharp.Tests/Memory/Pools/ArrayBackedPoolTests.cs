using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using NumaSharp.Core;
using NumaSharp.Core.Memory;

namespace NumaSharp.Tests.Core.Memory;

public sealed class ArrayBackedPoolTests
{
    private readonly PlacementRecorder _memory = new();

    [Theory]
    [InlineData(100)]
    [InlineData(4096)]
    [InlineData(5000)]
    [InlineData(1 << 20)]
    [InlineData(3_000_000)]
    public void TryGetArray_AnySize_IsTheBlock(int size)
    {
        using var pool = Create();
        using var block = pool.RentBlock(size);
        Random.Shared.NextBytes(block.GetSpan());

        Assert.True(MemoryMarshal.TryGetArray<byte>(block.Memory[10..], out var segment));
        Assert.True(segment.Count >= size - 10);
        Assert.True(segment.AsSpan().SequenceEqual(block.GetSpan()[10..]));
        segment[0] ^= 1;
        Assert.Equal(segment[0], block.GetSpan()[10]);
    }

    [Fact]
    public void TryGetArray_OrdinaryPool_HasNone()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions());
        using var block = pool.RentBlock();

        Assert.False(MemoryMarshal.TryGetArray<byte>(block.Memory, out _));
    }

    [Fact]
    public void TryGetArray_Returned_Throws()
    {
        using var pool = Create();
        var block = pool.RentBlock();
        ReadOnlyMemory<byte> memory = block.Memory;
        block.Dispose();

        Assert.Throws<ObjectDisposedException>(() => MemoryMarshal.TryGetArray(memory, out _));
    }

    [Fact]
    public void Rent_ManyBlocks_DoNotOverlapAndKeepTheirContentThroughCollections()
    {
        using var pool = Create();
        var blocks = Enumerable.Range(0, 2000).Select(_ => pool.RentBlock()).ToArray();
        for (var i = 0; i < blocks.Length; i++)
        {
            MemoryMarshal.Cast<byte, int>(blocks[i].GetSpan()).Fill(i);
        }

        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        for (var i = 0; i < blocks.Length; i++)
        {
            Assert.Equal(-1, MemoryMarshal.Cast<byte, int>(blocks[i].GetSpan()).IndexOfAnyExcept(i));
            Assert.Equal(0, blocks[i].Address % 64);
            blocks[i].Dispose();
        }

        Assert.Equal(0, pool.RentedBlocks);
    }

    [Fact]
    public void Rent_First_BindsWholePagesAndDropsTheirContent()
    {
        using var pool = Create(NumaBindMode.Advisory);
        using var block = pool.RentBlock();

        var (address, size, placement) = Assert.Single(_memory.Binds);
        Assert.Equal(NumaPlacement.Prefer(new(0)), placement);
        Assert.Equal((0, 0), ((int)(address % (nint)_memory.PageSize), (int)(size % _memory.PageSize)));
        Assert.InRange(block.Address, address, address + (nint)size - block.Length);
        Assert.Equal((nuint)pool.CommittedBytes, _memory.DiscardedBytes);
    }

    [Fact]
    public void Rent_BindingRefused_IsReportedAndMemoryIsThere()
    {
        _memory.BindAnswer = FaultyMemoryProvider.NotPermitted;
        var fallbacks = new NumaFallbacks();
        using var pool = Create(NumaBindMode.Advisory, fallbacks);
        using var block = pool.RentBlock();

        Assert.Equal(["memory.bind"], fallbacks.Current.Select(static fallback => fallback.Feature));
    }

    [Fact]
    public void Rent_StrictAndRefused_ThrowsAndKeepsNothing()
    {
        _memory.BindAnswer = FaultyMemoryProvider.NotPermitted;
        using var pool = Create(NumaBindMode.Strict);

        Assert.Equal(NumaFailure.NotPermitted, Assert.Throws<NumaException>(() => pool.RentBlock()).Result?.Failure);
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Throws<KeyNotFoundException>(() => ArrayMemory.ArrayAt(_memory.Binds[0].Address));
    }

    [Fact]
    public void Trim_Strict_LeavesTheHeapWithoutAPromise()
    {
        using var pool = Create(NumaBindMode.Strict);
        pool.RentBlock().Dispose();
        Assert.True(pool.Trim() > 0);

        Assert.Equal(
            [NumaPlacementKind.Bound, NumaPlacementKind.Preferred],
            _memory.Binds.Select(static bind => bind.Placement.Kind));
        Assert.Equal((_memory.Binds[0].Address, _memory.Binds[0].Size), (_memory.Binds[1].Address, _memory.Binds[1].Size));
    }

    [Fact]
    public void Trim_AllFree_GivesTheArraysToTheCollector()
    {
        using var pool = Create();
        var array = RentAndReturn(pool);
        GC.Collect();
        Assert.True(array.IsAlive);

        pool.Trim();
        Wait.UntilCollected(() => !array.IsAlive);
    }

    [Fact]
    public void Rent_LargerThanAnArray_IsOutOfMemoryOfTheNode()
    {
        using var pool = Create();

        var exception = Assert.Throws<OutOfMemoryException>(() => pool.RentBlock(pool.MaxBufferSize));
        Assert.StartsWith("The memory pool of node 0 got no memory", exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, pool.RentedBlocks);
    }

    [Fact]
    public void Rent_ThisMachine_TouchedPagesAreOnANodeThatItHas()
    {
        Assert.SkipWhen(KernelMemory.QueryRefusal is not null, $"move_pages(2) is refused here: {KernelMemory.QueryRefusal}.");
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { ArrayBacked = true });
        using var block = pool.RentBlock();
        block.GetSpan().Fill(1);

        NumaPlatform.Default.Memory.QueryNode(block.Address, out var nodeId).ThrowIfFailed("move_pages");
        Assert.NotNull(NumaTopology.Instance.FindNode(nodeId!.Value));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RentAndReturn(NumaMemoryPool pool)
    {
        using var block = pool.RentBlock();
        Assert.True(MemoryMarshal.TryGetArray<byte>(block.Memory, out var segment));
        return new WeakReference(segment.Array);
    }

    private NumaMemoryPool Create(NumaBindMode mode = NumaBindMode.None, NumaFallbacks? fallbacks = null) => new(
        new NumaMemoryPoolOptions
        {
            ArrayBacked = true,
            BindMode = mode,
            Memory = _memory,
            Fallbacks = fallbacks ?? new NumaFallbacks(),
        });
}
