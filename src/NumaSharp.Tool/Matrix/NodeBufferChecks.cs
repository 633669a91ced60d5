using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Matrix;

/// <summary>Checks whether a buffer can be, and is, on its node.</summary>
internal static class NodeBufferChecks
{
    public const nuint HugePageBytes = 2 * 1024 * 1024;

    public const string Bound = "bound";
    public const string Preferred = "preferred";
    public const string FirstTouch = "first touch";

    private const long MaxPagesChecked = 65536;
    private const double PagesRequired = 0.95;

    /// <summary>
    /// Why a buffer of this size must not be allocated on the node. A bound page that the node cannot provide invokes the OOM
    /// killer instead of failing (set_mempolicy(2), MPOL_BIND), so free memory is checked first.
    /// </summary>
    public static string? FindLack(NumaPlatform platform, NumaNode node, long size)
    {
        var onNode = platform.Topology.ReadStatistics(node.Id)?.MemoryFreeBytes ?? node.MemoryFreeBytes;
        var forProcess = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        var free = onNode > 0 ? Math.Min(onNode, forProcess) : forProcess;
        return free < size + (size / 4)
            ? $"only {SizeText.Format(free)} are free; {SizeText.Format(size)} plus a quarter are needed: choose a smaller --size"
            : null;
    }

    /// <summary>Places a buffer on the node, as strictly as the provider can.</summary>
    /// <returns>How it was placed; and why binding failed, if it is left to first touch.</returns>
    public static (string Placement, string? Refusal) Place(INumaMemoryProvider memory, NumaNode node, nint address, nuint size)
    {
        var bound = memory.Bind(address, size, NumaPlacement.Bind(node.Id));
        if (bound.Succeeded)
        {
            return (Bound, null);
        }

        return memory.Bind(address, size, NumaPlacement.Prefer(node.Id)).Succeeded
            ? (Preferred, null)
            : (FirstTouch, $"binding was refused ({bound})");
    }

    /// <summary>Looks up the node of all pages, or of an even sample.</summary>
    public static (long Checked, long There) CountPages(INumaMemoryProvider memory, NumaNodeId nodeId, nint address, nuint size)
    {
        var pages = (long)(size / memory.PageSize);
        var step = Math.Max(1, pages / MaxPagesChecked);
        var (count, there) = (0L, 0L);
        for (var page = 0L; page < pages; page += step)
        {
            if (memory.QueryNode(address + (nint)(page * (long)memory.PageSize), out var found).Succeeded)
            {
                count++;
                there += found == nodeId ? 1 : 0;
            }
        }

        return (count, there);
    }

    /// <summary>Why measurements of this buffer would not represent the node.</summary>
    public static string? FindDoubt(MatrixColumn column, string? refusal, bool isOnlyNode)
    {
        var why = refusal is null ? "" : $"; {refusal}";
        if (column.PagesChecked == 0)
        {
            return isOnlyNode || column.Placement == Bound
                ? null
                : $"the system does not report where the pages are{why}";
        }

        return column.PagesThere < column.PagesChecked * PagesRequired
            ? $"only {column.PagesThere} of {column.PagesChecked} pages are on the node{why}"
            : null;
    }
}
