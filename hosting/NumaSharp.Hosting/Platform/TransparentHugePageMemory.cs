using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>Another provider's memory, for which transparent huge pages are asked. Thread-safe.</summary>
internal sealed class TransparentHugePageMemory(INumaMemoryProvider inner, NumaFallbacks fallbacks) : INumaMemoryProvider
{
    // PMD-sized on x64 and on arm64 with pages of 4 KiB; elsewhere the alignment is merely of no use.
    private const nuint HugePageBytes = 2 << 20;

    public string Name => inner.Name;

    public nuint PageSize => inner.PageSize;

    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        if (size < HugePageBytes)
        {
            return inner.Reserve(size, alignment, out address);
        }

        var result = inner.Reserve(size, nuint.Max(alignment, HugePageBytes), out address);
        if (result.Succeeded && inner.Advise(address, size, NumaMemoryAdvice.HugePages) is { Succeeded: false } refused)
        {
            fallbacks.Report(new NumaFallback(
                "memory.hugepages",
                $"Transparent huge pages cannot be asked for ({refused.ErrorName}): ordinary pages are used."));
        }

        return result;
    }

    public NumaResult Commit(nint address, nuint size) => inner.Commit(address, size);

    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => inner.Bind(address, size, placement);

    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => inner.Advise(address, size, advice);

    public NumaResult Release(nint address, nuint size) => inner.Release(address, size);

    public NumaResult QueryNode(nint address, out int nodeId) => inner.QueryNode(address, out nodeId);
}
