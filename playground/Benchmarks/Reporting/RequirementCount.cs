using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>How many rows miss what they require.</summary>
/// <param name="Missed">Of the rows below, those that miss it.</param>
/// <param name="Rows">Those that require something.</param>
internal readonly record struct RequirementCount(int Missed, int Rows)
{
    public static RequirementCount Of(IEnumerable<MeasuredRow> rows)
    {
        bool[] met = [.. rows.Select(static measured => measured.Row.Met).OfType<bool>()];
        return new RequirementCount(met.Count(static isMet => !isMet), met.Length);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Missed} of {Rows}");
}
