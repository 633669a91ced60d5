using NumaSharp.Interop;

namespace NumaSharp.Core;

/// <summary>
/// Memory of Linux: mmap(2), mprotect(2), mbind(2), madvise(2), and move_pages(2) as a query. Address space that is only
/// reserved costs nothing, under <c>vm.overcommit_memory=2</c> too. Thread-safe.
/// </summary>
public sealed class LinuxMemoryProvider : INumaMemoryProvider
{
    /// <inheritdoc/>
    public string Name => "Linux";

    /// <inheritdoc/>
    public nuint PageSize { get; } = (nuint)Environment.SystemPageSize;

    /// <inheritdoc/>
    public NumaResult Reserve(nuint size, nuint alignment, out nint address)
    {
        address = 0;
        alignment = Math.Max(alignment, PageSize);
        var length = size + (alignment - PageSize);
        if (length < size)
        {
            return NumaResults.From(SysResult.FromErrno(Errno.ENOMEM));
        }

        var result = Native.MmapAnonymous(length, Native.PROT_NONE);
        if (!result.Succeeded)
        {
            return NumaResults.From(result);
        }

        var start = result.Value;
        var aligned = (nint)(((nuint)start + alignment - 1) & ~(alignment - 1));
        result = TrimEnds(start, length, aligned, size);
        if (!result.Succeeded)
        {
            Native.Unmap(start, length);
            return NumaResults.From(result);
        }

        address = aligned;
        return NumaResult.Success;
    }

    /// <inheritdoc/>
    public NumaResult Commit(nint address, nuint size) =>
        NumaResults.From(Native.Protect(address, size, Native.PROT_READ | Native.PROT_WRITE));

    /// <inheritdoc/>
    public NumaResult Bind(nint address, nuint size, NumaPlacement placement)
    {
        ArgumentNullException.ThrowIfNull(placement);
        var nodes = placement.Nodes;
        if (nodes.IsEmpty)
        {
            return NumaResults.From(SysResult.FromErrno(Errno.EINVAL));
        }

        var result = Native.MBind(address, size, ModeOf(placement), nodes.AsWords());
        if (result.Errno == Errno.EINVAL && placement.Kind == NumaPlacementKind.Preferred && nodes.Count > 1)
        {
            result = Native.MBind(address, size, Native.MPOL_PREFERRED, nodes.AsWords());
        }

        return NumaResults.From(result);
    }

    /// <inheritdoc/>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) =>
        NumaResults.From(Native.Advise(address, size, advice switch
        {
            NumaMemoryAdvice.HugePages => Native.MADV_HUGEPAGE,
            NumaMemoryAdvice.NoHugePages => Native.MADV_NOHUGEPAGE,
            NumaMemoryAdvice.Discard => Native.MADV_DONTNEED,
            _ => throw new ArgumentOutOfRangeException(nameof(advice), advice, "Not an advice of NumaMemoryAdvice."),
        }));

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size) => NumaResults.From(Native.Unmap(address, size));

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out int nodeId)
    {
        var result = Native.QueryPageNode((nint)((nuint)address & ~(PageSize - 1)));
        nodeId = result.Succeeded ? (int)result.Value : -1;
        return result.Errno == Errno.ENOENT ? NumaResult.Success : NumaResults.From(result);
    }

    private static int ModeOf(NumaPlacement placement) => placement.Kind switch
    {
        NumaPlacementKind.Preferred when placement.Nodes.Count > 1 => Native.MPOL_PREFERRED_MANY,
        NumaPlacementKind.Preferred => Native.MPOL_PREFERRED,
        NumaPlacementKind.Bound => Native.MPOL_BIND,
        NumaPlacementKind.Interleaved => Native.MPOL_INTERLEAVE,
        _ => throw new ArgumentOutOfRangeException(nameof(placement), placement.Kind, "Not a kind of NumaPlacementKind."),
    };

    // Can fail with ENOMEM when the process is at vm.max_map_count.
    private static SysResult TrimEnds(nint start, nuint length, nint keep, nuint keepLength)
    {
        var result = SysResult.FromReturn(0);
        var head = (nuint)(keep - start);
        var tail = length - head - keepLength;
        if (head > 0)
        {
            result = Native.Unmap(start, head);
        }

        return result.Succeeded && tail > 0 ? Native.Unmap(keep + (nint)keepLength, tail) : result;
    }
}
