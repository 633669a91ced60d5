using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Pools;

/// <summary>The loops of one pool. Each runs on the calling thread.</summary>
internal interface IPoolSide
{
    /// <summary>What is rented: the block size of Kestrel's pool, and the default of ours.</summary>
    const int BlockBytes = 4096;

    string Name { get; }

    /// <summary>Fills blocks with patterns and reads them back: no two overlap, none is shorter than asked for.</summary>
    void Verify();

    /// <summary>One block at a time: rented and returned.</summary>
    void Single(int count);

    /// <summary>Three blocks at a time, returned in the reverse order; an operation is all three.</summary>
    void Nested(int count);

    /// <summary>
    /// As many blocks as the order has, rented, each one's first byte written in that order, returned in it; an operation is one
    /// block.
    /// </summary>
    void Shuffled(int[] order, int count);

    /// <summary>Rents what <see cref="Consume"/> returns on another thread.</summary>
    void Produce(SpscRing<RentedBlock> ring, int count);

    void Consume(SpscRing<RentedBlock> ring, int count);
}
