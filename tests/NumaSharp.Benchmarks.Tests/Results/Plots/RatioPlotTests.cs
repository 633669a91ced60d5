using System.Text.RegularExpressions;
using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results.Plots;

namespace NumaSharp.Benchmarks.Tests.Results.Plots;

public sealed class RatioPlotTests
{
    [Fact]
    public void Draw_Picture_HasAName()
    {
        var picture = Draw(MadeUp.Row("ping cpu", 2, required: 1), MadeUp.Row("post cpu", 0.5, required: 1));

        Assert.Equal([picture.Title, picture.Description], picture.NamedBy);
        Assert.Equal("http: ours against the peer", picture.Title);
        Assert.StartsWith("2 ratios ", picture.Description, StringComparison.Ordinal);
        Assert.Contains("Missed requirements: 1.", picture.Description, StringComparison.Ordinal);
    }

    // Each look that is used has a colour for a dark page, too.
    [Fact]
    public void Draw_Picture_IsLightAndDark()
    {
        var style = Draw(MadeUp.Row("ping cpu", 1)).Style.Split("@media (prefers-color-scheme: dark)");

        Assert.Equal(2, style.Length);
        Assert.Equal(Colours(style[0]), Colours(style[1]));
    }

    [Fact]
    public void Draw_Row_HasDotSpreadRequirementAndFigure()
    {
        var row = Assert.Single(Draw(MadeUp.Row("ping cpu", 0.5, required: 0.6, spread: 0.1)).Rows);

        Assert.Equal("row", row.Look);
        Assert.Equal("ping cpu against peer: 0.50 +- 10 %, required 0.60", row.Title);
        Assert.Equal(["ping cpu", "0.50"], row.Texts);
        Assert.InRange(row.MarkOf("ratio"), row.Place("spread", "x1"), row.Place("spread", "x2"));
        Assert.InRange(row.Place("required", "x1"), row.Place("spread", "x2"), PlotLanes.Right);
    }

    [Fact]
    public void Draw_RowWithoutSpreadAndRequirement_HasADotAlone()
    {
        var row = Assert.Single(Draw(MadeUp.Row("ping cpu", 1)).Rows);

        Assert.False(row.Has("spread"));
        Assert.False(row.Has("required"));
        Assert.True(row.Has("ratio"));
    }

    [Fact]
    public void Draw_Miss_SaysSoInWordsShapeAndClass()
    {
        var rows = Draw(MadeUp.Row("met", 1, required: 1), MadeUp.Row("late", 1.0001, required: 1)).Rows;

        Assert.Equal(["row", "row missed"], rows.Select(static row => row.Look));
        Assert.Equal(["late", "1.0001 MISSED"], rows[1].Texts);
        Assert.NotEqual(rows[0].ShapeOf("ratio"), rows[1].ShapeOf("ratio"));
    }

    [Fact]
    public void Draw_RatioOfOne_IsOnTheLine()
    {
        var picture = Draw(MadeUp.Row("ping cpu", 1));

        Assert.Equal(picture.Place("one", "x1"), Assert.Single(picture.Rows).MarkOf("ratio"));
    }

    [Theory]
    [InlineData(0, PlotLanes.Left)]
    [InlineData(1e-6, PlotLanes.Left)]
    [InlineData(1e6, PlotLanes.Right)]
    public void Draw_RatioThatLeavesTheScale_IsAtItsEdge(double ratio, double expected) => Assert.Equal(
        expected,
        Draw(MadeUp.Row("one", 1), MadeUp.Row("other", ratio, required: 0)).Rows[1].MarkOf("ratio"));

    [Fact]
    public void Draw_SpreadOfMoreThanTheRatio_BeginsAtTheEdge() => Assert.Equal(
        PlotLanes.Left, Assert.Single(Draw(MadeUp.Row("ping cpu", 1, spread: 1.5)).Rows).Place("spread", "x1"));

    [Fact]
    public void Draw_UnitsOfSeveralRows_EachHaveTheirSection()
    {
        var rows = new[] { MadeUp.Row("a", 1), MadeUp.Row("b", 1, unit: "ms"), MadeUp.Row("c", 1) };
        var picture = Draw(rows);

        Assert.Equal(["a", "c", "b"], picture.Rows.Select(static row => row.Texts.First()));
        Assert.Equal(["us/request", "ms"], picture.Texts.Intersect(["us/request", "ms"]));
        Assert.True(picture.Height > Draw(MadeUp.Row("a", 1)).Height);
    }

    [Fact]
    public void Draw_NamesWithMarkup_AreText()
    {
        var name = """<script>alert("1 & 2")</script>""";
        var svg = RatioPlot.Draw("http", [MadeUp.Row(name, 1, unit: "<&>")]);

        Assert.DoesNotContain("<script", svg, StringComparison.Ordinal);
        Assert.Equal([name, "1.00"], Assert.Single(new Picture(svg).Rows).Texts);
        Assert.Contains("<&>", new Picture(svg).Texts);
    }

    private static Picture Draw(params MeasuredRow[] rows) => new(RatioPlot.Draw("http", rows));

    // The selectors of the rules that set a colour, in order.
    private static string[] Colours(string style) =>
    [
        .. from Match rule in Regex.Matches(
               style, @"([^{}]+)\{[^{}]*(?:fill|stroke): #[^{}]*\}", RegexOptions.None, TimeSpan.FromSeconds(1))
           select rule.Groups[1].Value.Trim(),
    ];
}
