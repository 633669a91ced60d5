using NumaSharp.Core;

namespace NumaSharp.Plugins.Simulated.Memory;

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
