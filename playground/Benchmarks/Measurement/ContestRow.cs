using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A row that the rounds of a contest give.</summary>
internal abstract class ContestRow(string name, RowTarget target)
{
    public string Name => name;

    public RowTarget Target => target;

    /// <summary>Whose measurements it needs.</summary>
    public abstract IReadOnlyList<Contestant> Sides { get; }

    /// <summary>What it is about: rows of a contest in which this is equal show the same measurement.</summary>
    public abstract object Subject { get; }

    /// <summary>The peer against itself, or null where that means nothing.</summary>
    /// <param name="again">The same work once more, of each side.</param>
    public abstract ContestRow? AgainstItself(IReadOnlyDictionary<Contestant, Contestant> again);

    /// <summary>The row.</summary>
    /// <param name="taken">What each side did, a slice per round.</param>
    public abstract MeasuredRow Judge(IReadOnlyDictionary<Contestant, Slice[]> taken);
}
