using NumaSharp.Core;
using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Tests.Core.Memory;

public abstract unsafe class AllocatorTests : IDisposable
{
    private readonly FaultyMemoryProvider _memory = new();
    private readonly ThreadOnNode _threads = new();
    private readonly NumaMemoryCheckMode _checks;
    private readonly NumaAllocator _allocator;

    protected AllocatorTests(NumaMemoryCheckMode checks)
    {
        _checks = checks;
        _allocator = new NumaAllocator(
            TestMachines.WithIds(0, 2).Plan(),
            new NumaAllocatorOptions { Memory = _memory, Affinity = _threads, Checks = checks });
    }

    public static TheoryData<int> Sizes =>
    [
        0, 1, 8, 16, 17, 100, 128, 129, 1000, 4096, 65_536, 200_000, 262_144, 262_145, 5_000_000,
    ];

    public void Dispose()
    {
        GC.SuppressFinalize(this);
        _allocator.Dispose();
        Assert.Equal(0, _memory.ReservationCount);
    }

    [Fact]
    public void SizeClasses_EverySize_HasTheSmallestClassThatHoldsIt()
    {
        var previous = -1;
        for (var size = 1; size <= SizeClasses.Largest; size++)
        {
            var index = SizeClasses.ClassOf((nuint)size);
            Assert.True(index == previous || index == previous + 1);
            Assert.True(SizeClasses.SizeOf(index) >= size);
            Assert.True(index == 0 || SizeClasses.SizeOf(index - 1) < size);
            Assert.Equal(0, SizeClasses.SizeOf(index) % 16);
            previous = index;
        }

        Assert.Equal(SizeClasses.Largest, SizeClasses.SizeOf(previous));
    }

    [Fact]
    public void SizeClasses_Coloured_HaveAPlainTwinOfTheSameSize()
    {
        var coloured = Enumerable.Range(0, SizeClasses.Count).Where(SizeClasses.IsColoured).ToArray();

        Assert.NotEmpty(coloured);
        Assert.All(coloured, static index =>
        {
            var plain = SizeClasses.PlainOf(index);
            Assert.Equal(SizeClasses.SizeOf(index), SizeClasses.SizeOf(plain));
            Assert.Equal(SizeClasses.SizeOf(index), SizeClasses.StrideOf(plain));
            Assert.Equal(SizeClasses.SizeOf(index) + 64, SizeClasses.StrideOf(index));
        });
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public void Allocate_AnySize_IsAlignedUsableAndFreed(int size)
    {
        var block = _allocator.Allocate((nuint)size);
        var usable = _allocator.GetUsableSize(block);

        Assert.Equal(0, (nint)block % 16);
        Assert.True(usable >= (nuint)size && usable <= (nuint)Math.Max(16, (size * 5L / 4) + 4096));
        new Span<byte>(block, (int)usable).Fill(0xCD);
        Assert.Equal((long)usable, _allocator.AllocatedBytes);
        _allocator.Free(block);
        Assert.Equal(0, _allocator.AllocatedBytes);
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public void AllocateZeroed_AfterDirtyBlocks_IsZero(int size)
    {
        var dirty = _allocator.Allocate((nuint)size);
        new Span<byte>(dirty, (int)_allocator.GetUsableSize(dirty)).Fill(0xCD);
        _allocator.Free(dirty);
        var block = _allocator.AllocateZeroed((nuint)size);

        Assert.Equal(-1, new Span<byte>(block, size).IndexOfAnyExcept((byte)0));
        _allocator.Free(block);
        var onNode = _allocator.AllocateZeroed((nuint)size, nodeId: new(2));
        Assert.Equal(-1, new Span<byte>(onNode, size).IndexOfAnyExcept((byte)0));
        _allocator.Free(onNode);
    }

    [Fact]
    public void AllocateAligned_EveryAlignmentAndSize_IsAligned()
    {
        for (nuint alignment = 1; alignment <= 4 * 1024 * 1024; alignment *= 2)
        {
            foreach (var size in new nuint[] { 0, 1, 33, 1000, 4097, 70_000, 262_144, 300_000 })
            {
                var first = _allocator.AllocateAligned(size, alignment);
                var second = _allocator.AllocateAligned(size, alignment, nodeId: new(2));
                Assert.True((nuint)first % alignment == 0 && (nuint)second % alignment == 0, $"{size} at {alignment}");
                Assert.True(_allocator.GetUsableSize(second) >= size);
                _allocator.Free(first);
                _allocator.Free(second);
            }
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(48)]
    public void AllocateAligned_NotAPowerOfTwo_Throws(int alignment) =>
        Assert.Throws<ArgumentException>(() => (nint)_allocator.AllocateAligned(10, (nuint)alignment));

    [Fact]
    public void Reallocate_GrowAndShrink_KeepsContentAndNode()
    {
        var block = (byte*)_allocator.Allocate(10, nodeId: new(2));
        for (var i = 0; i < 10; i++)
        {
            block[i] = (byte)i;
        }

        foreach (var size in new nuint[] { 16, 100, 5000, 300_000, 2_000_000, 400_000, 20, 10 })
        {
            block = (byte*)_allocator.Reallocate(block, size);
            Assert.Equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], new Span<byte>(block, 10).ToArray());
            Assert.Equal(2, _allocator.GetNodeId(block).Value);
            Assert.True(_allocator.GetUsableSize(block) >= size);
        }

        _allocator.Free(block);
        Assert.Equal(0, _allocator.AllocatedBytes);
    }

    [Fact]
    public void Reallocate_OfANode_MovesTheBlocksOfOthersThere()
    {
        var node = _allocator.ForNode(new(2));
        var block = (byte*)_allocator.Allocate(100, nodeId: new(0));
        block[0] = 7;
        var moved = (byte*)node.Reallocate(block, 100);
        Assert.True(moved != block);
        Assert.Equal((7, 2), (moved[0], _allocator.GetNodeId(moved).Value));

        var again = node.Reallocate(moved, 100);
        Assert.Equal(_checks != NumaMemoryCheckMode.Full, again == moved);
        node.Free(again);
        var fresh = node.Reallocate(null, 50);
        Assert.Equal(2, _allocator.GetNodeId(fresh).Value);
        node.Free(fresh);
        Assert.Equal(0, _allocator.AllocatedBytes);
    }

    [Fact]
    public void Reallocate_Null_Allocates()
    {
        var block = _allocator.Reallocate(null, 50);

        Assert.True(_allocator.GetUsableSize(block) >= 50);
        _allocator.Free(block);
    }

    [Fact]
    public void Allocate_ThreadOnNode_UsesThatNodesRangeAndMemory()
    {
        _threads.NodeId = new(2);
        var local = _allocator.Allocate(100);
        var remote = _allocator.Allocate(100, nodeId: new(0));
        var large = _allocator.Allocate(1_000_000, nodeId: new(0));
        var unknown = _allocator.Allocate(100, nodeId: new(9));

        Assert.Equal(2, _allocator.GetNodeId(local).Value);
        Assert.Equal(2, _allocator.GetNodeId((byte*)local + 50).Value);
        Assert.Equal(0, _allocator.GetNodeId(remote).Value);
        Assert.Equal(0, _allocator.GetNodeId(large).Value);
        Assert.Equal(2, _allocator.GetNodeId(unknown).Value);
        Assert.Equal(
            [NumaPlacement.Prefer(new(2)), NumaPlacement.Prefer(new(0)), NumaPlacement.Prefer(new(0))], _memory.Placements);
        _allocator.Free(local);
        _allocator.Free(remote);
        _allocator.Free(large);
        _allocator.Free(unknown);
        // The checks count each; without them it is seen when blocks are passed on.
        var remoteFrees = _checks == NumaMemoryCheckMode.Full ? 2L : 1L;
        Assert.Equal(
            (remoteFrees, 0L), (_allocator.GetStatistics(new(0)).RemoteFrees, _allocator.GetStatistics(new(2)).RemoteFrees));
    }

    [Fact]
    public void Free_ManyBlocksOfAnotherNode_ArePassedBackAndCounted()
    {
        _threads.NodeId = new(2);
        var blocks = Enumerable.Range(0, 5000).Select(_ => (nint)_allocator.Allocate(64, nodeId: new(0))).ToList();
        Assert.Equal(0, _allocator.GetStatistics(new(0)).RemoteFrees);
        blocks.ForEach(block => _allocator.Free((void*)block));

        Assert.InRange(_allocator.GetStatistics(new(0)).RemoteFrees, 4000, 5000);
        Assert.Equal(0, _allocator.GetStatistics(new(2)).RemoteFrees);
    }

    [Fact]
    public void Free_ByAThreadThatTookOverAnotherNodesHeap_CountsOnlyWhatItFreed()
    {
        nint block = 0;
        TestThreads.Run(1, _ =>
        {
            _threads.NodeId = new(2);
            block = (nint)_allocator.Allocate(100);
        });
        TestThreads.Run(1, _ => _allocator.Free((void*)block));
        _allocator.Trim();

        Assert.Equal((0L, 1L), (_allocator.GetStatistics(new(0)).RemoteFrees, _allocator.GetStatistics(new(2)).RemoteFrees));
    }

    [Fact]
    public void Free_OnAnotherThread_BlocksAreUsedAgain()
    {
        var seen = new HashSet<nint>();
        for (var round = 0; round < 10; round++)
        {
            var blocks = Enumerable.Range(0, 1000).Select(_ => (nint)_allocator.Allocate(64)).ToList();
            seen.UnionWith(blocks);
            TestThreads.Run(1, _ => blocks.ForEach(block => _allocator.Free((void*)block)));
        }

        Assert.InRange(seen.Count, 1000, 3000);
        Assert.Equal(0, _allocator.AllocatedBytes);
    }

    [Fact]
    public void Free_Null_DoesNothing() => _allocator.Free(null);

    [Fact]
    public void Free_LargeBlockTwice_ThrowsAndSaysSo()
    {
        var block = _allocator.Allocate(1_000_000);
        _allocator.Free(block);

        var exception = Assert.Throws<InvalidOperationException>(() => _allocator.Free(block));
        Assert.Contains("already freed", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Free_InTheRangeButInNoBlock_Throws()
    {
        var block = (byte*)_allocator.Allocate(64);

        Assert.Throws<InvalidOperationException>(() => _allocator.Free(block + (512L << 20)));
        _allocator.Free(block);
    }

    [Fact]
    public void AnyCall_ForeignPointer_Throws()
    {
        var block = (byte*)_allocator.Allocate(64);
        byte onStack;
        var foreign = &onStack;

        Assert.Throws<InvalidOperationException>(() => _allocator.Free(foreign));
        Assert.Throws<InvalidOperationException>(() => _allocator.GetNodeId(foreign));
        Assert.Throws<InvalidOperationException>(() => _allocator.GetUsableSize(block + 1));
        Assert.Throws<InvalidOperationException>(() => (nint)_allocator.Reallocate(foreign, 10));
        Assert.Throws<ArgumentNullException>(() => _allocator.GetNodeId(null));
        Assert.Throws<ArgumentNullException>(() => _allocator.GetUsableSize(null));
        _allocator.Free(block);
    }

    [Fact]
    public void Allocate_MoreThanAnyMachineHas_ThrowsOutOfMemory()
    {
        Assert.Throws<OutOfMemoryException>(() => (nint)_allocator.Allocate(nuint.MaxValue));
        Assert.Throws<OutOfMemoryException>(() => (nint)_allocator.Allocate((nuint)1 << 62));
        Assert.Throws<OutOfMemoryException>(() => (nint)_allocator.AllocateAligned(1 << 20, (nuint)1 << 62));
    }

    public sealed class Unchecked() : AllocatorTests(NumaMemoryCheckMode.None);

    public sealed class Checked() : AllocatorTests(NumaMemoryCheckMode.Full);

    public sealed class Hardened() : AllocatorTests(NumaMemoryCheckMode.Hardened);
}
