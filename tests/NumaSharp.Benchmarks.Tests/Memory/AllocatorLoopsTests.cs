using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Memory;

namespace NumaSharp.Benchmarks.Tests.Memory;

public sealed class AllocatorLoopsTests
{
    private const int Operations = 2000;
    private readonly AllocatorLoops<CountingBlocks> _loops = new();

    public AllocatorLoopsTests() => CountingBlocks.Reset();

    [Fact]
    public void Single_Operations_AllocatesAndFreesSoMany()
    {
        _loops.Single(64, Operations);

        Assert.Equal((Operations, Operations), (CountingBlocks.Allocated, CountingBlocks.Freed));
    }

    [Fact]
    public void Nested_Operations_AllocatesAndFreesThreeTimesSoMany()
    {
        _loops.Nested(64, Operations);

        Assert.Equal((3 * Operations, 3 * Operations), (CountingBlocks.Allocated, CountingBlocks.Freed));
    }

    [Fact]
    public void Bulk_Operations_AllocatesAndFreesSoMany()
    {
        _loops.Bulk(64, Operations);

        Assert.Equal((Operations, Operations), (CountingBlocks.Allocated, CountingBlocks.Freed));
    }

    [Fact]
    public void ProduceAndConsume_Batches_FreesWhatWasAllocated()
    {
        const int Count = 4 * SpscRing<nint>.Batch;
        var ring = new SpscRing<nint>();

        _loops.Produce(ring, 16, Count);
        _loops.Consume(ring, Count);

        Assert.Equal((Count, Count), (CountingBlocks.Allocated, CountingBlocks.Freed));
    }

    [Fact]
    public void Verify_BlocksThatOverlap_IsRefused()
    {
        var failure = Assert.Throws<BenchmarkException>(() => new AllocatorLoops<ShortBlocks>().Verify());

        Assert.StartsWith("short: a block of ", failure.Message, StringComparison.Ordinal);
    }
}
