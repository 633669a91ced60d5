using System.Globalization;
using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Results;

namespace NumaSharp.Benchmarks.Tests.Results;

public sealed class ResultPagesTests
{
    private static readonly string[] s_golden = ["tests", "NumaSharp.Benchmarks.Tests", "Results", "Golden"];
    private static readonly string[] s_pages =
        ["results.md", "ratios-pool.svg", "ratios-http.svg", "latency.svg", "memory-of-connections.svg"];

    public static TheoryData<string> Pages => [.. s_pages];

    [Fact]
    public void Render_GoldenFolder_WritesThePageAndThePicturesThatHaveRows() =>
        Assert.Equal(s_pages, RenderGolden().Select(static page => page.Name));

    // The expected files are in Golden; UPDATE_RESULTS=1 writes them.
    [Theory]
    [MemberData(nameof(Pages))]
    public void Render_GoldenFolder_IsAsExpected(string name)
    {
        var text = RenderGolden().Single(page => page.Name == name).Text;
        if (Environment.GetEnvironmentVariable("UPDATE_RESULTS") == "1")
        {
            File.WriteAllText(Repository.PathOf([.. s_golden, name]), text);
        }

        Assert.Equal(Repository.Read([.. s_golden, name]), text);
    }

    [Fact]
    public void Render_UnderAnotherCulture_IsTheSame()
    {
        var expected = RenderGolden();
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (culture.NumberFormat.NumberDecimalSeparator, culture.NumberFormat.NumberGroupSeparator) = (",", ".");
        var before = CultureInfo.CurrentCulture;
        try
        {
            CultureInfo.CurrentCulture = culture;
            Assert.Equal(expected, RenderGolden());
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    [Fact]
    public void FileNames_HaveAllThatIsWritten()
    {
        var rendered = ResultPages.Render(MadeUp.Of([.. BenchmarkKinds.All.Select(static kind => MadeUp.Kind(
            kind,
            MadeUp.Row("alloc 64B vs mimalloc", 1),
            MadeUp.Row("flood 64 cpu ours vs pooled", 1),
            MadeUp.Row("ping p50", 1, unit: "ms"),
            MadeUp.Row("10k idle heap", 1, unit: "B/connection")))]));

        Assert.Equal(
            ResultPages.FileNames.Order(),
            rendered.Select(static page => page.Name)
                .Concat(BenchmarkKinds.All.Select(ResultSet.FileOf))
                .Append(ResultSet.ReasonsFile)
                .Order());
    }

    [Fact]
    public void FileNames_AreInTheGuide()
    {
        var guide = Repository.Read("docs", "guide", "benchmarks.md");
        var names = BenchmarkKinds.All.Aggregate(
            ResultPages.FileNames.AsEnumerable(),
            static (all, kind) => all.Select(name => name == $"{kind}.json" || name == $"ratios-{kind}.svg"
                ? name.Replace(kind, "KIND", StringComparison.Ordinal)
                : name));

        Assert.All(names, name => Assert.Contains($"`{name}`", guide, StringComparison.Ordinal));
    }

    [Fact]
    public void Render_KindWithoutRows_HasAnEmptyTableAndNoPicture()
    {
        var (name, text) = Assert.Single(ResultPages.Render(MadeUp.Of(MadeUp.Kind("stop"))));

        Assert.Equal("results.md", name);
        Assert.Contains("\n## stop\n\nhow\n\n| row |", text, StringComparison.Ordinal);
        Assert.Contains("\nMissed: 0 of 0 requirements.\n", text, StringComparison.Ordinal);
    }

    private static IReadOnlyList<(string Name, string Text)> RenderGolden() =>
        ResultPages.Render(ResultSet.Read(Repository.PathOf(s_golden)));
}
