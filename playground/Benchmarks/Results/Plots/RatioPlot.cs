using System.Globalization;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>
/// All ratios of a kind of benchmark, those of a unit together: a dot with its spread, a line at 1, and each requirement.
/// </summary>
internal static class RatioPlot
{
    private const double Top = 60;
    private const double Half = 7;

    // What is beyond is drawn at the edge; its figure stands beside it.
    private const double Least = 0.01;
    private const double Most = 100;

    private const string Legend =
        "Ratio, less is better: a dot, or a diamond for a miss, with its spread. Thick mark: requirement; thin: 1.00.";

    public static string TitleOf(string kind) => $"{kind}: ours against the peer";

    public static string Draw(string kind, IReadOnlyList<MeasuredRow> rows)
    {
        MeasuredRow[][] sections = [.. rows.GroupBy(static row => row.Row.Unit).Select(static unit => unit.ToArray())];
        var scale = LogScale.Of(rows.SelectMany(Places).Append(1.0), PlotLanes.Left, PlotLanes.Right, Least, Most);
        var missed = RequirementCount.Of(rows).Missed;
        var description = string.Create(
            CultureInfo.InvariantCulture,
            $"{rows.Count} ratios on a logarithmic scale; less is better. Missed requirements: {missed}. The page beside this "
            + $"picture has the figures in tables.");
        return SvgPage.Draw(
            TitleOf(kind),
            description,
            Top + sections.Sum(static section => PlotLanes.HeightOf(section.Length)),
            page =>
            {
                page.Text("note", 16, 46, Legend);
                var top = Top;
                foreach (var section in sections)
                {
                    Section(page, top, section, scale);
                    top += PlotLanes.HeightOf(section.Length);
                }
            });
    }

    private static void Section(SvgPage page, double top, MeasuredRow[] rows, LogScale scale)
    {
        PlotLanes.Frame(page, top, rows[0].Row.Unit, rows.Length, scale);
        var one = scale.At(1);
        page.Line("one", one, PlotLanes.MiddleOf(top, 0) - Half, one, PlotLanes.MiddleOf(top, rows.Length - 1) + Half);
        foreach (var (lane, row) in rows.Index())
        {
            var middle = PlotLanes.MiddleOf(top, lane);
            var isMissed = row.Row.Met == false;
            page.Group(isMissed ? "row missed" : "row", Sentence(row), () => Lane(page, middle, row, isMissed, scale));
        }
    }

    private static void Lane(SvgPage page, double middle, MeasuredRow measured, bool isMissed, LogScale scale)
    {
        var row = measured.Row;
        PlotLanes.Name(page, middle, row.Name, isMissed ? $"{FigureText.Ratio(row.Ratio)} MISSED" : FigureText.Ratio(row.Ratio));
        if (row.Target.Required is { } required)
        {
            var x = scale.At(required);
            page.Line("required", x, middle - Half, x, middle + Half);
        }

        if (measured.Spread is { } spread)
        {
            page.Line("spread", scale.At(row.Ratio * (1 - spread)), middle, scale.At(row.Ratio * (1 + spread)), middle);
        }

        page.Mark("ratio", SvgPage.ShapeOf(isMissed ? 2 : 0), scale.At(row.Ratio), middle);
    }

    private static IEnumerable<double> Places(MeasuredRow measured)
    {
        yield return measured.Row.Ratio;
        if (measured.Row.Target.Required is { } required)
        {
            yield return required;
        }

        if (measured.Spread is { } spread)
        {
            yield return measured.Row.Ratio * (1 - spread);
            yield return measured.Row.Ratio * (1 + spread);
        }
    }

    private static string Sentence(MeasuredRow measured)
    {
        var row = measured.Row;
        var spread = measured.Spread is { } share ? $" +- {FigureText.Percent(share)}" : "";
        var required = row.Target.Required is { } most ? $", required {FigureText.Ratio(most)}" : "";
        return $"{row.Name} against {row.Peer}: {FigureText.Ratio(row.Ratio)}{spread}{required}";
    }
}
