using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>A row that the rounds of a contest give, in nanoseconds per operation.</summary>
internal abstract class ContestRow(string name, RowTarget target)
{
    private const string Unit = "ns/op";

    public string Name => name;

    public RowTarget Target => target;

    /// <summary>Whose measurements it needs.</summary>
    public abstract IReadOnlyList<Contestant> Sides { get; }

    protected abstract string Peer { get; }

    /// <summary>The peer against itself, or null where that means nothing.</summary>
    public abstract ContestRow? AgainstItself();

    /// <summary>The round with the median ratio.</summary>
    /// <param name="rounds">What each side took in each round.</param>
    public MeasuredRow Judge(IReadOnlyList<IReadOnlyDictionary<Contestant, double>> rounds)
    {
        var pairs = rounds.Select(Pick).ToArray();
        double[] ratios = [.. pairs.Select(pair => pair.Ours / pair.Theirs)];
        var (ours, theirs) = pairs[Statistics.MiddleRound(ratios)];
        return new MeasuredRow(
            BenchmarkRow.Cost(Name, Peer, ours, theirs, Unit, Target), Statistics.Spread(ratios));
    }

    protected abstract (double Ours, double Theirs) Pick(IReadOnlyDictionary<Contestant, double> round);
}
