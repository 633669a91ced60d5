using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class SingleNodeMemoryTests
{
    private readonly NumaFallbacks _fallbacks = new();
    private readonly SingleNodeMemoryProvider _memory = new();

    [Fact]
    public void Pool_WithoutNumaCalls_IsOnTheOnlyNodeAndHasNothingToSay()
    {
        var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _memory, Fallbacks = _fallbacks });
        var blocks = Enumerable.Range(0, 1000).Select(i => pool.RentBlock(i * 10)).ToList();
        blocks.ForEach(static block => block.GetSpan().Fill(1));
        blocks.ForEach(static block => block.Dispose());

        Assert.True(pool.Trim() > 0);
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Empty(_fallbacks.Current);
        pool.Dispose();
    }

    [Fact]
    public void Pool_Strict_CannotBePromised()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = _memory, BindMode = NumaBindMode.Strict });

        Assert.Throws<NumaException>(() => pool.Rent());
    }

    [Fact]
    public void Allocator_WithoutNumaCalls_WorksInTheAddressSpaceThatThereIs()
    {
        var plan = NumaPlan.Create(new SingleNodeTopologyProvider().Read());
        using var allocator = new NumaAllocator(plan, new NumaAllocatorOptions
        {
            Memory = _memory,
            Affinity = new SingleNodeAffinityProvider(),
            Fallbacks = _fallbacks,
        });
        foreach (var size in new nuint[] { 10, 5000, 200_000, 3_000_000 })
        {
            var block = (byte*)allocator.AllocateZeroed(size);
            Assert.Equal(-1, new Span<byte>(block, (int)size).IndexOfAnyExcept((byte)0));
            new Span<byte>(block, (int)size).Fill(1);
            allocator.Free(block);
        }

        Assert.Equal(0, allocator.AllocatedBytes);
    }

    [Fact]
    public void Commit_AfterReserve_PagesReadAsZero()
    {
        var size = 8 * _memory.PageSize;
        _memory.Reserve(size, 1 << 20, out var address).ThrowIfFailed("reserve");
        _memory.Commit(address, size).ThrowIfFailed("commit");

        Assert.Equal(0, address % (1 << 20));
        Assert.Equal(-1, new Span<byte>((void*)address, (int)size).IndexOfAnyExcept((byte)0));
        _memory.Release(address, size).ThrowIfFailed("release");
    }
}
