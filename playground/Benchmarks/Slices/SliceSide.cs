namespace NumaSharp.Playground.Benchmarks.Slices;

/// <summary>One side of a contest; what it opens lives as long as the contest.</summary>
internal sealed class SliceSide(string name, Func<ILoad> open)
{
    public string Name => name;

    public ILoad Open() => open();

    /// <summary>The same once more, for a contest of a side against itself.</summary>
    public SliceSide Again() => new(name, open);
}
