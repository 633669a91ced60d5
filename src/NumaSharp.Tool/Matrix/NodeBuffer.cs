using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Matrix;

/// <summary>A buffer with its pages on one node, linked for <see cref="PointerChase"/>. Used by one thread at a time.</summary>
internal sealed class NodeBuffer : IDisposable
{
    private readonly INumaMemoryProvider _memory;
    private readonly nuint _size;

    private NodeBuffer(INumaMemoryProvider memory, nint address, nuint size, int lines, MatrixColumn column)
    {
        _memory = memory;
        _size = size;
        Address = address;
        Lines = lines;
        Column = column;
    }

    public nint Address { get; }

    public long Size => (long)_size;

    /// <summary>The number of lines in the cycle that starts at <see cref="Address"/>.</summary>
    public int Lines { get; }

    public MatrixColumn Column { get; }

    /// <summary>Creates a buffer.</summary>
    /// <returns>The buffer; or none, and a column with the reason.</returns>
    public static async Task<(NodeBuffer? Buffer, MatrixColumn Column)> CreateAsync(
        NumaPlatform platform, NumaTopology topology, NumaNode node, long size)
    {
        if (NodeBufferChecks.FindLack(platform, node, size) is { } lack)
        {
            return (null, Refused(node, lack));
        }

        var memory = platform.Memory;
        var reserved = memory.Reserve((nuint)size, NodeBufferChecks.HugePageBytes, out var address);
        if (!reserved.Succeeded)
        {
            return (null, Refused(node, $"no address space for the buffer: {reserved}"));
        }

        NodeBuffer? buffer = null;
        MatrixColumn column;
        try
        {
            (buffer, column) = await FillAsync(platform, topology, node, address, (nuint)size);
        }
        finally
        {
            if (buffer is null)
            {
                memory.Release(address, (nuint)size);
            }
        }

        return (buffer, column);
    }

    public void Dispose() => _memory.Release(Address, _size);

    private static async Task<(NodeBuffer? Buffer, MatrixColumn Column)> FillAsync(
        NumaPlatform platform, NumaTopology topology, NumaNode node, nint address, nuint size)
    {
        var memory = platform.Memory;
        var committed = memory.Commit(address, size);
        if (!committed.Succeeded)
        {
            return (null, Refused(node, $"no memory for the buffer: {committed}"));
        }

        // Advice only: without huge pages, the column reports that there are none.
        _ = memory.Advise(address, size, NumaMemoryAdvice.HugePages);
        var (placement, refusal) = NodeBufferChecks.Place(memory, node, address, size);
        if (refusal is not null && node.Cpus.IsEmpty)
        {
            return (null, Refused(node, $"{refusal}, and no CPU of the node can touch its memory first"));
        }

        var toucher = node.Cpus.IsEmpty ? topology.AllowedCpus : node.Cpus;
        var lines = await PinnedWork.RunAsync(platform.Affinity, toucher, _ => PointerChase.Link(address, size));
        var (isChecked, there) = NodeBufferChecks.CountPages(memory, node.Id, address, size);
        var column = new MatrixColumn(
            node.Id, placement, isChecked, there, HugePageShare.BytesIn(address, (long)size), Reason: null);
        var doubt = NodeBufferChecks.FindDoubt(column, refusal, isOnlyNode: topology.MemoryNodes.Count == 1);
        return doubt is null
            ? (new NodeBuffer(memory, address, size, lines, column), column)
            : (null, column with { Reason = doubt });
    }

    private static MatrixColumn Refused(NumaNode node, string reason) => new(node.Id, "none", 0, 0, null, reason);
}

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

/// <summary>The part of a range in huge pages (AnonHugePages of /proc/PID/smaps, proc_pid_smaps(5)).</summary>
internal static class HugePageShare
{
    private const string SmapsPath = "/proc/self/smaps";

    /// <summary>The number of bytes, or <see langword="null"/> if the system does not report it.</summary>
    public static long? BytesIn(nint address, long size)
    {
        try
        {
            return File.Exists(SmapsPath) ? Sum(File.ReadLines(SmapsPath), (ulong)address, (ulong)(address + size)) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Sums the mappings that lie in the range.</summary>
    internal static long Sum(IEnumerable<string> lines, ulong start, ulong end)
    {
        var sum = 0L;
        var isInside = false;
        foreach (var line in lines)
        {
            if (TryParseRange(line, out var from, out var to))
            {
                isInside = from < end && to > start;
            }
            else if (isInside && line.StartsWith("AnonHugePages:", StringComparison.Ordinal))
            {
                var kilobytes = line["AnonHugePages:".Length..].Replace("kB", "", StringComparison.Ordinal).Trim();
                sum += long.Parse(kilobytes, CultureInfo.InvariantCulture) * 1024;
            }
        }

        return Math.Min(sum, (long)(end - start));
    }

    private static bool TryParseRange(string line, out ulong from, out ulong to)
    {
        (from, to) = (0, 0);
        var dash = line.IndexOf('-', StringComparison.Ordinal);
        var space = line.IndexOf(' ', StringComparison.Ordinal);
        return dash > 0
            && space > dash
            && ulong.TryParse(line.AsSpan(0, dash), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out from)
            && ulong.TryParse(
                line.AsSpan(dash + 1, space - dash - 1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out to);
    }
}
