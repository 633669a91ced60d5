using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>Reserved address space: real memory, simulated nodes.</summary>
internal sealed class SimulatedReservation(nint start, nuint size, nuint pageSize)
{
    public nint Start { get; } = start;

    public nuint Size { get; } = size;

    public PlacementMap Placements { get; } = new();

    public PageNodes Nodes { get; } = new();

    public long PageOf(nint address) => (long)((nuint)(address - Start) / pageSize);

    public bool Contains(nint address, nuint length) =>
        address >= Start && (nuint)(address - Start) <= Size && length <= Size - (nuint)(address - Start);
}

/// <summary>The placements of a reservation's pages, as the kernel keeps them in its mappings.</summary>
internal sealed class PlacementMap
{
    // Each placement applies from its page up to the next entry.
    private readonly SortedList<long, NumaPlacement?> _from = new() { [0] = null };

    public NumaPlacement? this[long page] => _from.GetValueAtIndex(IndexOf(page));

    public void Set(long page, long count, NumaPlacement placement)
    {
        var end = page + count;
        var after = this[end];
        for (var index = IndexOf(end); index >= 0 && _from.GetKeyAtIndex(index) >= page; index--)
        {
            _from.RemoveAt(index);
        }

        _from[page] = placement;
        _from[end] = after;
    }

    private int IndexOf(long page)
    {
        var (low, high) = (0, _from.Count - 1);
        while (low < high)
        {
            var middle = (low + high + 1) / 2;
            (low, high) = _from.GetKeyAtIndex(middle) <= page ? (middle, high) : (low, middle - 1);
        }

        return low;
    }
}

/// <summary>The node of each page of a reservation; reservations are large and mostly untouched.</summary>
internal sealed class PageNodes
{
    private const int None = -1;
    private const int PagesPerBlock = 512;

    private readonly Dictionary<long, int[]> _blocks = [];

    public NumaNodeId? this[long page]
    {
        get => _blocks.TryGetValue(page / PagesPerBlock, out var block) && block[page % PagesPerBlock] is not None and var id
            ? new NumaNodeId(id)
            : null;
        set
        {
            if (!_blocks.TryGetValue(page / PagesPerBlock, out var block))
            {
                _blocks.Add(page / PagesPerBlock, block = new int[PagesPerBlock]);
                Array.Fill(block, None);
            }

            block[page % PagesPerBlock] = value?.Value ?? None;
        }
    }

    /// <summary>The nodes of all taken pages.</summary>
    public IEnumerable<NumaNodeId> Taken => _blocks.Values.SelectMany(static block => block)
        .Where(static id => id != None)
        .Select(static id => new NumaNodeId(id));
}
