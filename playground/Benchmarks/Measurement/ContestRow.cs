using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A row that the rounds of a contest give.</summary>
internal abstract class ContestRow(string name, RowTarget target)
{
    public string Name => name;

    public RowTarget Target => target;

    /// <summary>Whose measurements it needs.</summary>
    public abstract IReadOnlyList<Contestant> Sides { get; }

    /// <summary>The peer against itself, or null where that means nothing.</summary>
    public abstract ContestRow? AgainstItself();

    /// <summary>The row.</summary>
    /// <param name="rounds">What each side took in each round, in nanoseconds per operation.</param>
    public abstract MeasuredRow Judge(IReadOnlyList<IReadOnlyDictionary<Contestant, double>> rounds);
}
