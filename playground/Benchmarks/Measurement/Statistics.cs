namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>The few statistics that a table of medians needs.</summary>
internal static class Statistics
{
    /// <summary>The middle value, or the mean of the two middle ones.</summary>
    public static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        ArgumentOutOfRangeException.ThrowIfZero(sorted.Length, nameof(values));
        var middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// <summary>Half of the distance between the smallest and the largest value, as a share of the median.</summary>
    public static double Spread(IReadOnlyCollection<double> values)
    {
        var median = Median(values);
        return median == 0 ? 0 : (values.Max() - values.Min()) / 2 / median;
    }

    /// <summary>Nearest rank: the smallest value that at least <paramref name="percent"/> of all values do not exceed.</summary>
    public static int Percentile(Span<int> values, double percent)
    {
        ArgumentOutOfRangeException.ThrowIfZero(values.Length, nameof(values));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(percent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, 100);
        values.Sort();
        return values[(int)Math.Ceiling(values.Length * percent / 100) - 1];
    }
}
