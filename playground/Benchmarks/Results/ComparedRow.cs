using System.Globalization;
using NumaSharp.Playground.Benchmarks.Measurement;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>A row that both builds have.</summary>
/// <param name="Name">With its peer.</param>
/// <param name="Earlier">The ratio of the earlier build to its peer.</param>
/// <param name="Now">The ratio of this build.</param>
/// <param name="Change">This build's ratio as a share of the earlier one's; absent where that is 0.</param>
/// <param name="Floor">
/// Half of the distance between the quartiles of the rounds' changes, as a share of the median: half of all changes are within
/// it.
/// </param>
internal sealed record ComparedRow(string Name, double Earlier, double Now, double? Change, double Floor)
{
    private const double Allowed = 1.03;

    /// <summary>Whether this build's ratio is more than 3 % above the earlier one's, beyond the floor.</summary>
    public bool IsSlower => Change is { } change ? change > Allowed + Floor : Now > Earlier;

    public static IReadOnlyList<ComparedRow> Of(BuildRows earlier, BuildRows now) =>
    [
        .. now.Names.Intersect(earlier.Names, StringComparer.Ordinal)
            .Select(name => Of(name, earlier.RatiosOf(name), now.RatiosOf(name))),
    ];

    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Name,-34} {Earlier,8:N3} {Now,8:N3} {Change,7:N3} {Floor,6:P0} {(IsSlower ? "SLOWER" : "")}").TrimEnd();

    // Of the round in the middle: both builds have met the same neighbours in it.
    private static ComparedRow Of(string name, double[] earlier, double[] now)
    {
        if (Array.Exists(earlier, static ratio => ratio <= 0))
        {
            return new ComparedRow(name, earlier.Max(), now.Max(), null, 0);
        }

        double[] changes = [.. now.Zip(earlier, static (ours, theirs) => ours / theirs)];
        var middle = Statistics.MiddleRound(changes);
        var spread = Statistics.Spread(changes);
        return new ComparedRow(name, earlier[middle], now[middle], changes[middle], double.IsFinite(spread) ? spread : 0);
    }
}
