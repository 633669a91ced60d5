using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Tests.Support;

/// <summary>An address space with the rules of Windows, without memory behind it.</summary>
internal sealed class FakeMemory : IMemoryCalls
{
    private const long Granularity = 64 << 10;
    private const long Page = 4096;

    // By start: what Windows treats as one placeholder or region.
    private readonly SortedDictionary<long, Region> _regions = [];
    private long _next = Granularity;

    /// <summary>Whether the system has placeholders (Windows Server 2019; not Wine 8).</summary>
    public bool HasPlaceholders { get; init; } = true;

    /// <summary>The node that does not exist.</summary>
    public int AbsentNode { get; init; } = 99;

    /// <summary>Called before each reservation, with the address that is asked for: other threads.</summary>
    public Action<nint>? BeforeReserve { get; set; }

    public int CommitError { get; set; }

    public int FreeError { get; set; }

    public uint PageAttributes { get; set; }

    public int Count => _regions.Count;

    /// <summary>Where the system looks for room next.</summary>
    public nint NextAddress
    {
        set => _next = value;
    }

    /// <summary>The node of an address's region; null without; -1 for a placeholder or nothing.</summary>
    public int? NodeOf(nint address) => Find(address) is { IsPlaceholder: false } region ? region.Node : -1;

    public bool IsCommitted(nint address) => Find(address)?.Pages.Contains(address / Page) == true;

    public int Reserve(nint address, nuint size, int? node, out nint reserved)
    {
        BeforeReserve?.Invoke(address);
        reserved = 0;
        var start = address == 0 ? _next : address / Granularity * Granularity;
        if (node == AbsentNode || size == 0)
        {
            return Win32Error.ERROR_INVALID_PARAMETER;
        }

        return Add(new Region(start, (long)size) { Node = node }, out reserved);
    }

    public int Commit(nint address, nuint size, int? node)
    {
        var error = CommitError != 0 ? CommitError
            : Find(address) is not { IsPlaceholder: false } region || address + (long)size > region.End
                ? Win32Error.ERROR_INVALID_ADDRESS
                : Win32Error.ERROR_SUCCESS;
        if (error == Win32Error.ERROR_SUCCESS)
        {
            Find(address)!.Pages.UnionWith(PagesOf(address, size));
        }

        return error;
    }

    public int Decommit(nint address, nuint size)
    {
        if (Find(address) is not { IsPlaceholder: false } region || address + (long)size > region.End)
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        region.Pages.ExceptWith(PagesOf(address, size));
        return Win32Error.ERROR_SUCCESS;
    }

    public int Free(nint address) => FreeError != 0 ? FreeError
        : _regions.Remove(address) ? Win32Error.ERROR_SUCCESS
        : Win32Error.ERROR_INVALID_ADDRESS;

    public int ReservePlaceholder(nuint size, nuint alignment, out nint reserved)
    {
        reserved = 0;
        if (!HasPlaceholders || (long)alignment < Granularity || size == 0)
        {
            return Win32Error.ERROR_INVALID_PARAMETER;
        }

        var start = (_next + (long)alignment - 1) / (long)alignment * (long)alignment;
        return Add(new Region(start, (long)size) { IsPlaceholder = true }, out reserved);
    }

    public int CutPlaceholder(nint address, nuint size)
    {
        var end = address + (long)size;
        if (Find(address) is not { } region || end > region.End)
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        // A whole region becomes a placeholder, and of a placeholder only a part is cut.
        if (region.IsPlaceholder == (region.Start == address && region.End == end))
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        _regions.Remove(region.Start);
        foreach (var (start, stop) in new[] { (region.Start, address), (address, end), (end, region.End) })
        {
            if (start < stop)
            {
                _regions.Add(start, new Region(start, stop - start) { IsPlaceholder = true });
            }
        }

        return Win32Error.ERROR_SUCCESS;
    }

    public int ReplacePlaceholder(nint address, nuint size, int? node)
    {
        if (node == AbsentNode)
        {
            return Win32Error.ERROR_INVALID_PARAMETER;
        }

        if (Find(address) is not { IsPlaceholder: true } region || region.Start != address || region.Size != (long)size)
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        _regions[address] = new Region(address, (long)size) { Node = node };
        return Win32Error.ERROR_SUCCESS;
    }

    public int QueryPage(nint address, out WorkingSetPage page)
    {
        page = new WorkingSetPage(address, PageAttributes);
        return address % Page == 0 ? Win32Error.ERROR_SUCCESS : Win32Error.ERROR_INVALID_ADDRESS;
    }

    private static IEnumerable<long> PagesOf(nint address, nuint size) =>
        Enumerable.Range(0, (int)((long)size / Page)).Select(page => (address / Page) + page);

    private Region? Find(long address) =>
        _regions.Values.FirstOrDefault(region => region.Start <= address && address < region.End);

    private int Add(Region region, out nint reserved)
    {
        reserved = 0;
        if (_regions.Values.Any(other => other.Start < region.End && region.Start < other.End))
        {
            return Win32Error.ERROR_INVALID_ADDRESS;
        }

        _regions.Add(region.Start, region);
        _next = Math.Max(_next, (region.End + Granularity - 1) / Granularity * Granularity);
        reserved = (nint)region.Start;
        return Win32Error.ERROR_SUCCESS;
    }

    private sealed class Region(long start, long size)
    {
        public long Start { get; } = start;

        public long Size { get; } = size;

        public long End => Start + Size;

        public bool IsPlaceholder { get; init; }

        public int? Node { get; init; }

        public HashSet<long> Pages { get; } = [];
    }
}
