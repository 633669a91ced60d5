using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>A row that both builds have.</summary>
/// <param name="Name">With its peer.</param>
/// <param name="Earlier">The ratio of the earlier build to its peer.</param>
/// <param name="Now">The ratio of this build.</param>
/// <param name="Change">This build's ratio as a share of the earlier one's; absent where that is 0.</param>
/// <param name="Floor">Half of the distance between the quartiles of the rounds' changes, as a share of the median.</param>
/// <param name="Ours">What became of our side, as a share of the earlier build's; absent where it was 0.</param>
/// <param name="Peer">The same of the peer, which both builds have: the machine and the harness have changed it.</param>
internal sealed record ComparedRow(
    string Name, double Earlier, double Now, double? Change, double Floor, double? Ours = null, double? Peer = null)
{
    public static readonly string Heading = $"{"row",-34} {"earlier",8} {"this",8} {"change",7} {"+-",6} {"ours",7} {"peer",7}";

    private const double Allowed = 1.03;

    /// <summary>Whether this build's ratio is more than 3 % above the earlier one's, beyond the floor.</summary>
    public bool IsSlower => Change is { } change ? change > Allowed + Floor : Now > Earlier;

    /// <summary>The same the other way round. By chance about as many rows are faster as are slower.</summary>
    public bool IsFaster => Change is { } change ? 1 / change > Allowed + Floor : Now < Earlier;

    public static IReadOnlyList<ComparedRow> Of(BuildRows earlier, BuildRows now) =>
    [
        .. now.Names.Intersect(earlier.Names, StringComparer.Ordinal)
            .Select(name => Of(name, earlier[name], now[name])),
    ];

    /// <summary>Rows whose peer is the earlier build: their ratio is the change.</summary>
    public static IReadOnlyList<ComparedRow> OfChanges(BuildRows rows) =>
    [
        .. rows.Names.Select(name => Of(
            name, [.. rows[name].Select(static _ => 1.0)], [.. rows[name].Select(static row => row.Ratio)])),
    ];

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Name,-34} {Earlier,8:N3} {Now,8:N3} {Change,7:N3} {Floor,6:P0} {Ours,7:N3} {Peer,7:N3} {Verdict}").TrimEnd();

    private string Verdict => IsSlower ? "SLOWER" : IsFaster ? "FASTER" : "";

    private static ComparedRow Of(string name, IReadOnlyList<BenchmarkRow> earlier, IReadOnlyList<BenchmarkRow> now)
    {
        var row = Of(name, [.. earlier.Select(static each => each.Ratio)], [.. now.Select(static each => each.Ratio)]);
        return row.Change is null
            ? row
            : row with { Ours = ChangeOf(static each => each.Ours), Peer = ChangeOf(static each => each.Theirs) };

        double? ChangeOf(Func<BenchmarkRow, double> side)
        {
            double[] changes = [.. now.Zip(earlier, (ours, theirs) => side(ours) / side(theirs))];
            return Array.TrueForAll(changes, static change => double.IsFinite(change) && change > 0)
                ? Middle(changes, GeometricMean)
                : null;
        }
    }

    // Both builds of a round have met the same neighbours.
    private static ComparedRow Of(string name, double[] earlier, double[] now)
    {
        if (earlier.Concat(now).Any(static ratio => ratio <= 0))
        {
            return new ComparedRow(name, Middle(earlier, Mean), Middle(now, Mean), null, 0);
        }

        double[] changes = [.. now.Zip(earlier, static (ours, theirs) => ours / theirs)];
        return new ComparedRow(
            name,
            Middle(earlier, GeometricMean),
            Middle(now, GeometricMean),
            Middle(changes, GeometricMean),
            Statistics.Spread(changes));
    }

    // In half of the rounds the one build was first, in the other half the other.
    private static double Middle(double[] values, Func<double, double, double> mean)
    {
        var sorted = values.Order().ToArray();
        return mean(sorted[(sorted.Length - 1) / 2], sorted[sorted.Length / 2]);
    }

    private static double Mean(double one, double other) => (one + other) / 2;

    private static double GeometricMean(double one, double other) => Math.Sqrt(one * other);
}
