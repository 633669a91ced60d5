using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Memory;

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
            if (_from.GetKeyAtIndex(middle) <= page)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }

        return low;
    }
}
