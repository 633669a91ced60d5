namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The few statistics that the tables need.</summary>
internal static class Statistics
{
    /// <summary>
    /// The round whose ratio is the median of all ratios. Both runs of a round meet the same neighbours on the machine, so
    /// their ratio is steadier than the ratio of two medians: on busy machines, equal servers differed by 3 and 6 % (root
    /// mean square over the rows of CPU) instead of 10 and 7 %.
    /// </summary>
    /// <param name="ratios">One per round; with an even number of them the lower of the two middle ones counts.</param>
    public static int MiddleRound(IReadOnlyList<double> ratios)
    {
        ArgumentOutOfRangeException.ThrowIfZero(ratios.Count, nameof(ratios));
        return Enumerable.Range(0, ratios.Count).OrderBy(round => ratios[round]).ElementAt((ratios.Count - 1) / 2);
    }

    /// <summary>
    /// Half of the distance between the quartiles, as a share of the median: at least half of all values are between these. As
    /// many values are below the one as above the other.
    /// </summary>
    public static double Spread(IReadOnlyCollection<double> values)
    {
        var sorted = values.Order().ToArray();
        var outside = (sorted.Length - 1) / 4;
        return (sorted[^(1 + outside)] - sorted[outside]) / 2 / sorted[Rank(sorted.Length, 50)];
    }

    /// <summary>Nearest rank: the smallest value that at least <paramref name="percent"/> of all values do not exceed.</summary>
    public static int Percentile(Span<int> values, double percent)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(percent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        var rank = Rank(values.Length, percent);
        values.Sort();
        return values[rank];
    }

    private static int Rank(int count, double percent)
    {
        ArgumentOutOfRangeException.ThrowIfZero(count);
        return (int)Math.Ceiling(count * percent / 100) - 1;
    }
}
