using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>How far our own contestants are apart, whichever they are in a round.</summary>
internal sealed class SlowestAgainstFastest(string name, IReadOnlyList<Contestant> sides, RowTarget target)
    : ContestRow(name, target)
{
    public override IReadOnlyList<Contestant> Sides => sides;

    protected override string Peer => "our own fastest";

    public override ContestRow? AgainstItself() => null;

    protected override (double Ours, double Theirs) Pick(IReadOnlyDictionary<Contestant, double> round) =>
        (sides.Max(side => round[side]), sides.Min(side => round[side]));
}
