using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>One figure of a sample, and how the rounds of two sides become a row.</summary>
/// <param name="Unit">What the table shows.</param>
/// <param name="Of">The figure.</param>
/// <param name="IsRate">Whether more is better.</param>
internal record Figure<TSample>(string Unit, Func<TSample, double> Of, bool IsRate = false)
{
    /// <summary>The round with the median ratio, and how far the ratios of the rounds are apart.</summary>
    public MeasuredRow Compare(
        string name, string peer, IReadOnlyList<TSample> ours, IReadOnlyList<TSample> theirs, RowTarget target)
    {
        (double Ours, double Theirs)[] rounds = [.. ours.Zip(theirs, (our, their) => (Of(our), Of(their)))];
        double[] ratios = [.. rounds.Select(round => IsRate ? round.Theirs / round.Ours : round.Ours / round.Theirs)];
        var middle = rounds[Statistics.MiddleRound(ratios)];
        var row = IsRate
            ? BenchmarkRow.Rate(name, peer, middle.Ours, middle.Theirs, Unit, target)
            : BenchmarkRow.Cost(name, peer, middle.Ours, middle.Theirs, Unit, target);
        return new MeasuredRow(row, Statistics.Spread(ratios));
    }
}
