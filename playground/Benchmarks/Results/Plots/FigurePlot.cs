namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>Figures of several sides beside each other: a mark per side in each lane, on a scale per unit.</summary>
/// <param name="Title">What it shows.</param>
/// <param name="Sides">Ours is the first.</param>
/// <param name="Sections">The lanes, those of a unit together.</param>
internal sealed record FigurePlot(string Title, IReadOnlyList<string> Sides, IReadOnlyList<FigureSection> Sections)
{
    private const double LegendLeft = 24;
    private const double LegendTop = 48;
    private const double LegendHeight = 18;
    private const int LegendColumns = 4;
    private const double LegendColumn = 230;

    public string Draw()
    {
        var top = LegendTop + ((((Sides.Count - 1) / LegendColumns) + 1) * LegendHeight);
        return SvgPage.Draw(
            Title,
            $"{string.Join(", ", Sides)}, on logarithmic scales; less is better. The page beside this picture has the figures in "
            + "tables.",
            top + Sections.Sum(static section => PlotLanes.HeightOf(section.Lanes.Count)),
            page => Draw(page, top));
    }

    private void Draw(SvgPage page, double top)
    {
        foreach (var (side, name) in Sides.Index())
        {
            var x = LegendLeft + (side % LegendColumns * LegendColumn);
            var y = LegendTop + (side / LegendColumns * LegendHeight);
            page.Mark(Look(side), SvgPage.ShapeOf(side), x, y - 4);
            page.Text("note", x + 12, y, name);
        }

        foreach (var section in Sections)
        {
            var scale = LogScale.Of(
                section.Lanes.SelectMany(static lane => lane.Figures).OfType<double>(), PlotLanes.Left, PlotLanes.Right);
            PlotLanes.Frame(page, top, section.Unit, section.Lanes.Count, scale);
            foreach (var (index, lane) in section.Lanes.Index())
            {
                var middle = PlotLanes.MiddleOf(top, index);
                page.Group("row", Sentence(lane, section.Unit), () => Lane(page, middle, lane, scale));
            }

            top += PlotLanes.HeightOf(section.Lanes.Count);
        }
    }

    // Ours comes last, so that it is above the others.
    private static void Lane(SvgPage page, double middle, FigureLane lane, LogScale scale)
    {
        PlotLanes.Name(page, middle, lane.Name, lane.Figures[0] is { } ours ? FigureText.Figure(ours) : "");
        for (var side = lane.Figures.Count - 1; side >= 0; side--)
        {
            if (lane.Figures[side] is { } figure)
            {
                page.Mark(Look(side), SvgPage.ShapeOf(side), scale.At(figure), middle);
            }
        }
    }

    private static string Look(int side) => $"s{FigureText.Count(side % 8)}";

    private string Sentence(FigureLane lane, string unit)
    {
        var figures =
            from side in Sides.Zip(lane.Figures)
            where side.Second is not null
            select $"{side.First} {FigureText.Figure(side.Second!.Value)}";
        return $"{lane.Name}, {unit}: {string.Join(", ", figures)}";
    }
}

/// <summary>Lanes whose figures have one unit.</summary>
internal sealed record FigureSection(string Unit, IReadOnlyList<FigureLane> Lanes);

/// <summary>The figures of a row, or of several with the same work: by side, null where there is none.</summary>
internal sealed record FigureLane(string Name, IReadOnlyList<double?> Figures);
