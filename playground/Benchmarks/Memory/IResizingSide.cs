namespace NumaSharp.Playground.Benchmarks.Memory;

/// <summary>The loops of an allocator that resizes and aligns.</summary>
internal interface IResizingSide : IAllocatorSide
{
    /// <summary>Allocated, resized and freed.</summary>
    void Resize(nuint from, nuint to, int count);

    /// <summary>Allocated at a multiple of the alignment and freed.</summary>
    void Aligned(nuint size, nuint alignment, int count);
}
