using NumaSharp.Interop;

namespace NumaSharp.Core.Linux;

/// <summary>
/// Memory of Linux: mmap(2), mprotect(2), mbind(2), set_mempolicy_home_node(2), madvise(2), and move_pages(2) as a query.
/// Address space that is only reserved takes no memory, and does not count as committed with <c>vm.overcommit_memory=2</c>.
/// Thread-safe.
/// </summary>
internal sealed class LinuxMemoryProvider : INumaMemoryProvider
{
    private static readonly NumaResult s_otherWeights =
        new(NumaFailure.NotSupported, 0, "the system's interleave weights differ");

    private readonly string _sysfs;

    /// <summary>Creates the provider.</summary>
    public LinuxMemoryProvider()
        : this("/sys")
    {
    }

    internal LinuxMemoryProvider(string sysfs) => _sysfs = sysfs;

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
        result = Native.UnmapAround(start, length, aligned, size);
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

        if (placement.Kind == NumaPlacementKind.WeightedInterleaved && !ReadWeights().Match(placement))
        {
            return s_otherWeights;
        }

        return placement.Kind == NumaPlacementKind.Preferred && nodes.Count > 1
            ? NumaResults.From(PreferSeveral(address, size, placement))
            : NumaResults.From(BindByKind(address, size, placement));
    }

    /// <inheritdoc/>
    public NumaResult Advise(nint address, nuint size, NumaMemoryAdvice advice) =>
        NumaResults.From(Native.Advise(address, size, advice switch
        {
            NumaMemoryAdvice.HugePages => Native.MADV_HUGEPAGE,
            NumaMemoryAdvice.Discard or NumaMemoryAdvice.Reset => Native.MADV_DONTNEED,
            _ => throw new ArgumentOutOfRangeException(nameof(advice), advice, "Not a NumaMemoryAdvice value."),
        }));

    /// <inheritdoc/>
    public NumaResult Release(nint address, nuint size) => NumaResults.From(Native.Unmap(address, size));

    /// <inheritdoc/>
    public NumaResult QueryNode(nint address, out NumaNodeId? nodeId)
    {
        var result = Native.QueryPageNode((nint)((nuint)address & ~(PageSize - 1)));
        nodeId = result.Succeeded ? new NumaNodeId((int)result.Value) : null;
        return result.Errno == Errno.ENOENT ? NumaResult.Success : NumaResults.From(result);
    }

    // At every call: an administrator may change them.
    private InterleaveWeights ReadWeights() => new(new SysfsReader(_sysfs, new ReadingBudget()));

    private static int ModeOf(NumaPlacement placement) => placement.Kind switch
    {
        NumaPlacementKind.Preferred => Native.MPOL_PREFERRED,
        NumaPlacementKind.Bound => Native.MPOL_BIND,
        NumaPlacementKind.Interleaved => Native.MPOL_INTERLEAVE,
        NumaPlacementKind.WeightedInterleaved => Native.MPOL_WEIGHTED_INTERLEAVE,
        _ => throw new ArgumentOutOfRangeException(nameof(placement), placement.Kind, "Not a NumaPlacementKind value."),
    };

    private static SysResult BindByKind(nint address, nuint size, NumaPlacement placement)
    {
        var result = Native.MBind(address, size, ModeOf(placement), placement.Nodes.AsWords());
        if (result.Succeeded && placement is { Kind: NumaPlacementKind.Bound, Nodes.Count: > 1, HomeNodeId: { } home })
        {
            // Without it (before Linux 5.17, or refused) the nodes are used in another order, but still no other node is used.
            Native.SetHomeNode(address, size, home.Value);
        }

        return result;
    }

    private static SysResult PreferSeveral(nint address, nuint size, NumaPlacement placement)
    {
        var nodes = placement.Nodes;
        var result = Native.MBind(address, size, Native.MPOL_PREFERRED_MANY, nodes.AsWords());
        if (result.Succeeded && placement.HomeNodeId is { } home)
        {
            var homeResult = Native.SetHomeNode(address, size, home.Value);
            return homeResult.Succeeded ? homeResult : PreferOne(address, size, home);
        }

        return result.Errno == Errno.EINVAL
            ? PreferOne(address, size, placement.HomeNodeId ?? new NumaNodeId(nodes.First))
            : result;
    }

    // Without a home node the nearest to the thread would come first: one preferred node is closer to the request.
    private static SysResult PreferOne(nint address, nuint size, NumaNodeId nodeId) =>
        Native.MBind(address, size, Native.MPOL_PREFERRED, CpuSet.FromIds(nodeId.Value).AsWords());
}
