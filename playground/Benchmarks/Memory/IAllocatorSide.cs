using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The loops of one allocator. Each runs on the calling thread.</summary>
internal interface IAllocatorSide
{
    /// <summary>Blocks of a bulk.</summary>
    const int BulkBlocks = 1000;

    string Name { get; }

    PeerLibrary? Library { get; }

    /// <summary>Fills blocks with patterns and reads them back: no two overlap, none is shorter than asked for.</summary>
    void Verify();

    /// <summary>One block at a time: allocated and freed.</summary>
    void Single(nuint size, int count);

    /// <summary>Three blocks at a time, freed in the reverse order; an operation is all three.</summary>
    void Nested(nuint size, int count);

    /// <summary>
    /// <see cref="BulkBlocks"/> blocks at a time, each one's first word written, freed in the order in which they
    /// were allocated; an operation is one block.
    /// </summary>
    void Bulk(nuint size, int count);

    /// <summary>Allocates what <see cref="Consume"/> frees on another thread.</summary>
    void Produce(SpscRing<nint> ring, nuint size, int count);

    void Consume(SpscRing<nint> ring, int count);
}
