using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Ours against a peer: the round with the median ratio, in nanoseconds per operation.</summary>
internal sealed class Duel(string name, Contestant ours, Contestant theirs, RowTarget target = default)
    : ContestRow(name, target)
{
    private const string Unit = "ns/op";

    public override IReadOnlyList<Contestant> Sides { get; } = [ours, theirs];

    public override ContestRow AgainstItself() => new Duel($"{Name} noise", theirs.Again(), theirs);

    public override MeasuredRow Judge(IReadOnlyList<IReadOnlyDictionary<Contestant, double>> rounds)
    {
        double[] ratios = [.. rounds.Select(round => round[ours] / round[theirs])];
        var middle = rounds[Statistics.MiddleRound(ratios)];
        return new MeasuredRow(
            BenchmarkRow.Cost(Name, theirs.Name, middle[ours], middle[theirs], Unit, Target), Statistics.Spread(ratios));
    }
}
