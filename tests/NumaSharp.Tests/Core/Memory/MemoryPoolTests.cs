using System.Buffers;
using NumaSharp.Core;
using NumaSharp.Plugins.Simulated;

namespace NumaSharp.Tests.Core.Memory;

public sealed unsafe class MemoryPoolTests
{
    [Theory]
    [InlineData(-1, 4096)]
    [InlineData(0, 4096)]
    [InlineData(1, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(4097, 8192)]
    [InlineData(8193, 16384)]
    [InlineData(1024 * 1024, 1024 * 1024)]
    public void Rent_Size_GivesAlignedBlockOfItsClass(int size, int expected)
    {
        using var pool = new NumaMemoryPool(0);
        using var block = pool.RentBlock(size);

        Assert.Equal(expected, block.Length);
        Assert.Equal(expected, block.Memory.Length);
        Assert.Equal(0, (nint)block.Pointer % 64);
        Assert.Equal(0, block.NodeId.Value);
        block.GetSpan().Fill(0xAB);
    }

    [Theory]
    [InlineData(64)]
    [InlineData(100)]
    [InlineData(3000)]
    [InlineData(65536)]
    [InlineData(1024 * 1024)]
    public void Rent_AnyBlockSize_BlocksAreApartAndLargeEnough(int blockSize)
    {
        using var pool = new NumaMemoryPool(0, blockSize);
        var blocks = Enumerable.Range(0, 70).Select(_ => pool.RentBlock()).OrderBy(static block => (nint)block.Pointer).ToArray();

        for (var i = 0; i < blocks.Length; i++)
        {
            Assert.True(blocks[i].Length >= blockSize);
            Assert.Equal(0, (nint)blocks[i].Pointer % 64);
            Assert.True(i == 0 || blocks[i].Pointer >= blocks[i - 1].Pointer + blocks[i - 1].Length);
            blocks[i].GetSpan().Fill((byte)i);
        }

        Assert.All(blocks, static block => block.Dispose());
    }

    [Theory]
    [InlineData(-2)]
    [InlineData(int.MinValue)]
    [InlineData(int.MaxValue)]
    public void Rent_SizeOutOfRange_Throws(int size)
    {
        using var pool = new NumaMemoryPool(0);

        Assert.Throws<ArgumentOutOfRangeException>(() => pool.Rent(size));
    }

    [Fact]
    public void Rent_FourKilobyteBlocks_DoNotAllStartInTheSameCacheSet()
    {
        using var pool = new NumaMemoryPool(0);
        var blocks = Enumerable.Range(0, 8).Select(_ => pool.RentBlock()).ToArray();

        Assert.Equal(8, blocks.Select(static block => (nint)block.Pointer % 4096).Distinct().Count());
        Assert.All(blocks, static block => block.Dispose());
    }

    [Fact]
    public void Rent_LargerThanEveryClass_HasItsOwnMappingReleasedOnReturn()
    {
        using var machine = new SimulatedMachine(TestMachines.WithIds(0));
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { Memory = machine.Platform.Memory });
        var block = pool.RentBlock(5_000_001);

        Assert.InRange(block.Length, 5_000_001, 5_000_064);
        block.GetSpan().Fill(1);
        Assert.Equal(1, pool.RentedBlocks);
        Assert.True(pool.RentedBytes >= 5_000_001);
        block.Dispose();

        Assert.Equal(0, machine.ReservedBytes);
        Assert.Equal(0, pool.CommittedBytes);
        Assert.Throws<ObjectDisposedException>(block.Dispose);
    }

    [Fact]
    public void Dispose_OfBlockTwice_ThrowsAndNamesThePool()
    {
        using var pool = new NumaMemoryPool(0);
        IMemoryOwner<byte> owner = pool.Rent();
        owner.Dispose();

        var exception = Assert.Throws<ObjectDisposedException>(owner.Dispose);
        Assert.Contains("memory pool of node 0", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_UsedAfterReturn_Throws()
    {
        using var pool = new NumaMemoryPool(0);
        var block = pool.RentBlock();
        var memory = block.Memory;
        block.Dispose();

        Assert.Throws<ObjectDisposedException>(() => memory.Span.Length);
        Assert.Throws<ObjectDisposedException>(() => block.Memory);
        Assert.Throws<ObjectDisposedException>(() => block.Pin());
        Assert.Throws<ObjectDisposedException>(() => (nint)block.Pointer);
    }

    [Fact]
    public void Pin_InsideAndOutside_GivesPointerOrThrows()
    {
        using var pool = new NumaMemoryPool(0);
        using var block = pool.RentBlock();
        using var handle = block.Pin(100);

        Assert.Equal((nint)block.Pointer + 100, (nint)handle.Pointer);
        Assert.Throws<ArgumentOutOfRangeException>(() => block.Pin(block.Length + 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => block.Pin(-1));
    }

    [Fact]
    public void Rent_AfterReturn_GivesTheSameWarmBlock()
    {
        using var pool = new NumaMemoryPool(0);
        var first = pool.RentBlock();
        first.Dispose();
        using var second = pool.RentBlock();

        Assert.Same(first, second);
    }

    [Fact]
    public void ZeroOnReturn_NextRenter_SeesZeros()
    {
        using var pool = new NumaMemoryPool(new NumaMemoryPoolOptions { ZeroOnReturn = true });
        var first = pool.RentBlock();
        first.GetSpan().Fill(0xFF);
        first.Dispose();
        using var second = pool.RentBlock();

        Assert.Same(first, second);
        Assert.Equal(-1, second.GetSpan().IndexOfAnyExcept((byte)0));
    }

    [Theory]
    [InlineData(63, 0)]
    [InlineData(1024 * 1024 + 1, 0)]
    [InlineData(4096, -1)]
    public void Constructor_OptionOutOfRange_Throws(int blockSize, long limit)
    {
        var options = new NumaMemoryPoolOptions { BlockSize = blockSize, LimitPerNode = limit };

        Assert.Throws<ArgumentOutOfRangeException>(() => new NumaMemoryPool(options));
    }

    [Fact]
    public void Constructor_NodeThatTheMachineLacks_TakesTheNearestAndSaysSoOnce()
    {
        const int Missing = 65_432;
        using var first = new NumaMemoryPool(Missing);
        using var second = new NumaMemoryPool(Missing);
        using var block = first.RentBlock();
        block.GetSpan().Fill(1);

        Assert.Equal(Missing, first.NodeId.Value);
        Assert.Contains(NumaTopology.Instance.Nodes, node => node.Id == first.MemoryNodeId);
        Assert.Single(
            NumaMemoryPool.DefaultFallbacks.Current,
            static item => item.NodeId?.Value == Missing && item.Feature == "memory.node");
    }
}
