using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>
/// One allocator as the loops see it. Each method is a call of its own (NoInlining), the same shape for every side: no side's
/// fast path is compiled into the loop. The loops are compiled for each of these types, so what calls here is direct.
/// </summary>
internal unsafe interface IBlocks<TSelf>
    where TSelf : struct, IBlocks<TSelf>, allows ref struct
{
    /// <summary>What a row calls this side; asked for after the library is known to be installed.</summary>
    static abstract string Name { get; }

    static virtual PeerLibrary? Library => null;

    /// <summary>Once at a loop's start, on the loop's thread: the place for a handle that is bound to it.</summary>
    static abstract TSelf Open();

    void* Allocate(nuint size);

    void Free(void* block);
}
