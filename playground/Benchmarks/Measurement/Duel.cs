using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Ours against a peer.</summary>
internal sealed class Duel(string name, Contestant ours, Contestant theirs, RowTarget target = default)
    : ContestRow(name, target)
{
    public override IReadOnlyList<Contestant> Sides { get; } = [ours, theirs];

    protected override string Peer => theirs.Name;

    public override ContestRow AgainstItself() => new Duel($"{Name} noise", theirs.Again(), theirs);

    protected override (double Ours, double Theirs) Pick(IReadOnlyDictionary<Contestant, double> round) =>
        (round[ours], round[theirs]);
}
