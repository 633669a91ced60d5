namespace NumaSharp.Playground.Benchmarks.Memory.Peers;

/// <summary>An allocator that can do more than its fast path.</summary>
internal unsafe interface IResizableBlocks<TSelf> : IBlocks<TSelf>
    where TSelf : struct, IResizableBlocks<TSelf>, allows ref struct
{
    void* Reallocate(void* block, nuint size);

    void* AllocateAligned(nuint size, nuint alignment);

    void FreeAligned(void* block);
}
