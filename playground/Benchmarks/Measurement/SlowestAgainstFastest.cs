using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// How far our own contestants are apart. Each is measured beside a reference of its own, all of which do the same work: a clock
/// that changes its speed during a round changes that of both. A contestant's figure is the median, over the rounds, of its time
/// divided by its reference's; the row is the largest of these figures against the smallest.
/// </summary>
/// <param name="name">Of the row.</param>
/// <param name="pairs">The contestants, and what each is measured beside.</param>
/// <param name="unit">The reference's work.</param>
/// <param name="target">What is asked for.</param>
internal sealed class SlowestAgainstFastest(
    string name, IReadOnlyList<(Contestant Side, Contestant Reference)> pairs, string unit, RowTarget target)
    : ContestRow(name, target)
{
    // In this order: a side and its reference are neighbours in every round.
    public override IReadOnlyList<Contestant> Sides { get; } =
        [.. pairs.SelectMany(static pair => new[] { pair.Side, pair.Reference })];

    public override object Subject => this;

    public override ContestRow? AgainstItself(IReadOnlyDictionary<Contestant, Contestant> again) => null;

    public override MeasuredRow Judge(IReadOnlyDictionary<Contestant, Slice[]> taken)
    {
        var sides = pairs
            .Select(pair => taken[pair.Side]
                .Zip(taken[pair.Reference], static (side, beside) => Time(side) / Time(beside)).ToArray())
            .Select(static ratios => (Ratios: ratios, Median: ratios[Statistics.MiddleRound(ratios)]))
            .OrderBy(static side => side.Median)
            .ToArray();
        var (fastest, slowest) = (sides[0], sides[^1]);
        double[] apart = [.. slowest.Ratios.Zip(fastest.Ratios, static (slow, fast) => slow / fast)];
        return new MeasuredRow(
            BenchmarkRow.Cost(Name, "our own fastest", slowest.Median, fastest.Median, unit, Target),
            Statistics.Spread(apart));

        static double Time(Slice slice) => SliceFigures.Time.Of(slice);
    }
}
