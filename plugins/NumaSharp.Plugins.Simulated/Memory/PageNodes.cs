namespace NumaSharp.Plugins.Simulated.Memory;

/// <summary>The node of each page of a reservation; reservations are large and mostly untouched.</summary>
internal sealed class PageNodes
{
    public const int None = -1;

    private const int PagesPerBlock = 512;

    private readonly Dictionary<long, int[]> _blocks = [];

    public int this[long page]
    {
        get => _blocks.TryGetValue(page / PagesPerBlock, out var block) ? block[page % PagesPerBlock] : None;
        set
        {
            if (!_blocks.TryGetValue(page / PagesPerBlock, out var block))
            {
                _blocks.Add(page / PagesPerBlock, block = new int[PagesPerBlock]);
                Array.Fill(block, None);
            }

            block[page % PagesPerBlock] = value;
        }
    }

    /// <summary>The nodes of all pages that have one.</summary>
    public IEnumerable<int> Taken => _blocks.Values.SelectMany(static block => block).Where(static node => node != None);
}
