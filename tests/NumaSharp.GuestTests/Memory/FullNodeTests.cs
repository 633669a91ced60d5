using NumaSharp.Core;
using NumaSharp.GuestTests.Support;

namespace NumaSharp.GuestTests.Core.Memory;

/// <summary>What happens when node 2, the small one, has no page left; docs/guide/memory.md promises it.</summary>
public sealed unsafe class FullNodeTests : ThreeNodeTests
{
    private const int SmallNode = 2;
    private const int BlockSize = 1 << 20;

    [Fact]
    public void Rent_StrictUpToItsLimit_ThrowsThereAndEveryPageIsOnTheNode()
    {
        const long Limit = 64 << 20;
        using var pool = Create(NumaBindMode.Strict, Limit);
        var blocks = new List<NumaMemoryBlock>();
        TestThreads.RunOn(TheMachine.CpusFarFrom(SmallNode), () =>
        {
            var exception = Assert.Throws<OutOfMemoryException>(() => Fill(pool, blocks, count: 1000));
            Assert.Contains($"node {SmallNode} is at its limit", exception.Message, StringComparison.Ordinal);
            Assert.Contains($"of {Limit} bytes", exception.Message, StringComparison.Ordinal);
        });
        Assert.InRange(blocks.Count, 50, 64);
        Assert.All(blocks, static block => Pages.AssertOn(SmallNode, (nint)block.Pointer, block.Length));
        blocks.ForEach(static block => block.Dispose());
    }

    [Fact]
    public void Rent_AdvisoryMoreThanTheNodeHas_TheRestComesFromOtherNodes()
    {
        using var pool = Create(NumaBindMode.Advisory, limit: 0);
        var blocks = new List<NumaMemoryBlock>();
        Fill(pool, blocks, count: (int)(TheMachine.MemoryOf(SmallNode) / BlockSize) + 20);
        var count = new SortedDictionary<int, int>();
        foreach (var block in blocks)
        {
            var node = Pages.NodeOf((nint)block.Pointer);
            count[node] = count.GetValueOrDefault(node) + 1;
            block.Dispose();
        }

        pool.Trim();
        Assert.InRange(count[SmallNode], 150, 256);
        Assert.InRange(blocks.Count - count[SmallNode], 20, 126);
    }

    private static void Fill(NumaMemoryPool pool, List<NumaMemoryBlock> blocks, int count)
    {
        for (var i = 0; i < count; i++)
        {
            var block = pool.RentBlock(BlockSize);
            blocks.Add(block);
            Pages.Touch((nint)block.Pointer, block.Length);
        }
    }

    private static NumaMemoryPool Create(NumaBindMode mode, long limit) => new(new NumaMemoryPoolOptions
    {
        NodeId = new(SmallNode),
        BindMode = mode,
        LimitPerNode = limit,
        Fallbacks = new NumaFallbacks(),
    });
}
