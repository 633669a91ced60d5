using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>The allocator's memory: the platform's, unless its pages are too large to be committed one by one.</summary>
internal static class AllocatorMemory
{
    public static INumaMemoryProvider For(INumaMemoryProvider memory, NumaFallbacks fallbacks)
    {
        var ordinary = OrOrdinary(memory);
        if (ReferenceEquals(ordinary, memory))
        {
            return memory;
        }

        fallbacks.Report(new NumaFallback(
            FallbackCatalog.MemoryPages,
            $"The allocator takes memory of {ordinary.Name}: the pages of {memory.Name}, {memory.PageSize} bytes, are larger "
            + $"than the {NumaAllocator.MaxPageSize} bytes that it commits at a time. The pools use {memory.Name}."));
        return ordinary;
    }

    public static INumaMemoryProvider OrOrdinary(INumaMemoryProvider memory) =>
        memory.PageSize <= NumaAllocator.MaxPageSize ? memory : NumaPlatform.Default.Memory;
}
