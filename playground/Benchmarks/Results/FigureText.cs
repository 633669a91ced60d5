using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>Figures as pages and pictures have them.</summary>
internal static class FigureText
{
    /// <summary>About four digits.</summary>
    public static string Figure(double value) => value.ToString(
        Math.Abs(value) switch
        {
            >= 1000 => "#,0",
            >= 100 => "0.#",
            >= 1 => "0.##",
            _ => "0.####",
        },
        CultureInfo.InvariantCulture);

    /// <summary>With the digits by which it is judged.</summary>
    public static string Ratio(double value) => value.ToString("0.00##", CultureInfo.InvariantCulture);

    public static string Percent(double? share) =>
        share is { } value ? string.Create(CultureInfo.InvariantCulture, $"{value * 100:0} %") : string.Empty;

    public static string Count(int count) => count.ToString(CultureInfo.InvariantCulture);
}
