using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Ours against a peer in one figure, by default time: the round with the median ratio.</summary>
internal sealed class PeerRow(
    string name, Contestant ours, Contestant theirs, RowTarget target = default, Figure<Slice>? figure = null)
    : ContestRow(name, target)
{
    public override IReadOnlyList<Contestant> Sides { get; } = [ours, theirs];

    public override object Subject { get; } = (ours, theirs, figure ?? SliceFigures.Time);

    public override ContestRow AgainstItself(IReadOnlyDictionary<Contestant, Contestant> again) =>
        new PeerRow($"{Name} noise", again[theirs], theirs, default, figure);

    public override MeasuredRow Judge(IReadOnlyDictionary<Contestant, Slice[]> taken) =>
        (figure ?? SliceFigures.Time).Compare(Name, theirs.Name, taken[ours], taken[theirs], Target);
}
