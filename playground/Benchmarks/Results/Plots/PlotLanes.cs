using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>The frame of a picture: below each other, a lane per row; together those that have one scale.</summary>
internal static class PlotLanes
{
    public const double Left = 300;
    public const double Right = 800;

    /// <summary>Of the text behind a lane.</summary>
    public const double Behind = Right + 14;

    private const double Margin = 16;
    private const double LaneHeight = 18;
    private const double AboveLanes = 40;
    private const double BelowLanes = 20;

    // From a lane's middle to its text's baseline.
    private const double Baseline = 4;

    public static double HeightOf(int lanes) => AboveLanes + (lanes * LaneHeight) + BelowLanes;

    /// <summary>Heading, ticks and grid of lanes.</summary>
    public static void Frame(SvgPage page, double top, string heading, int lanes, LogScale scale)
    {
        var first = top + AboveLanes;
        var last = first + (lanes * LaneHeight);
        page.Text("heading", Margin, first - 8, heading);
        for (var lane = 0; lane < lanes; lane += 2)
        {
            page.Rectangle("band", Margin, first + (lane * LaneHeight), SvgPage.Width - (2 * Margin), LaneHeight);
        }

        foreach (var tick in scale.Ticks)
        {
            var x = scale.At(tick);
            page.Line("grid", x, first, x, last);
            page.Label("note", x, first - 8, tick.ToString("#,0.######", CultureInfo.InvariantCulture));
        }
    }

    /// <summary>The middle of a lane.</summary>
    public static double MiddleOf(double top, int lane) => top + AboveLanes + ((lane + 0.5) * LaneHeight);

    /// <summary>A lane's name, and the text behind it.</summary>
    public static void Name(SvgPage page, double middle, string name, string behind)
    {
        page.Text("name", Margin + 4, middle + Baseline, name);
        page.Text("figure", Behind, middle + Baseline, behind);
    }
}
