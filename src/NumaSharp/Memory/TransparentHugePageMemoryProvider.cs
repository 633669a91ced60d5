namespace NumaSharp.Core;

/// <summary>
/// Another provider's memory with transparent huge pages requested (madvise(2), MADV_HUGEPAGE): reservations of 2 MiB and more
/// are aligned to 2 MiB, and pools and allocators commit that much at a time, so that pages can be huge from the first touch. The
/// system decides whether they are (transparent_hugepage/enabled, and what memory is free in one piece). Thread-safe.
/// </summary>
/// <param name="inner">The provider of the memory.</param>
/// <param name="fallbacks">Receives a fallback when the system does not support such pages, or refuses the request.</param>
public sealed class TransparentHugePageMemoryProvider(INumaMemoryProvider inner, NumaFallbacks fallbacks) : INumaMemoryProvider
{
    // PMD-sized on x64 and on arm64 with pages of 4 KiB; elsewhere the alignment is merely of no use.
    private const nuint HugePageBytes = 2 << 20;

    private readonly ClaimedFallback _refused = new(fallbacks, FallbackCatalog.MemoryHugePages, nodeId: null);

    /// <inheritdoc/>
    public string Name => inner.Name;

    /// <inheritdoc/>
    public nuint PageSize => inner.PageSize;

    /// <inheritdoc/>
    public nuint CommitUnit => nuint.Max(inner.CommitUnit, HugePageBytes);

    /// <inheritdoc/>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        if (size < HugePageBytes)
        {
            return inner.Reserve(size, alignment, out address);
        }

        var result = inner.Reserve(size, nuint.Max(alignment, HugePageBytes), out address);
        if (!result.Succeeded)
        {
            return result;
        }

        var asked = inner.Advise(address, size, NumaMemoryAdvice.HugePages);
        if (asked.Succeeded)
        {
            _refused.End();
        }
        else
        {
            _refused.Report($"Transparent huge pages cannot be requested ({asked.ErrorName}): ordinary pages are used.");
        }

        return result;
    }

    /// <inheritdoc/>
    public NumaResult Commit(nint address, nuint size) => inner.Commit(address, size);

    /// <inheritdoc/>
    public NumaResult Bind(nint address, nuint size, NumaPlacement placement) => inner.Bind(address, size, placement);

    /// <inheritdoc/>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) => inner.Advise(address, size, advice);

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size) => inner.Release(address, size);

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId) => inner.QueryNode(address, out nodeId);
}
