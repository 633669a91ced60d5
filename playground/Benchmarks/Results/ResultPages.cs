using NumaSharp.Playground.Benchmarks.Results.Plots;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>The page and the pictures of results. They come from the JSON alone: the same JSON gives the same bytes.</summary>
internal static class ResultPages
{
    public const string Page = "results.md";

    /// <summary>All that a folder of results can have.</summary>
    public static IReadOnlySet<string> FileNames { get; } = new HashSet<string>(
        [Page, ResultSet.ReasonsFile, .. BenchmarkKinds.All.Select(ResultSet.FileOf), .. ResultPlots.FileNames],
        StringComparer.Ordinal);

    public static IReadOnlyList<(string Name, string Text)> Render(ResultSet results)
    {
        ResultPlot[] plots = [.. ResultPlots.Of(results)];
        return [(Page, ResultMarkdown.Write(results, plots)), .. plots.Select(static plot => (plot.FileName, plot.Svg))];
    }

    public static void Write(string folder, ResultSet results)
    {
        foreach (var (name, text) in Render(results))
        {
            File.WriteAllText(Path.Combine(folder, name), text);
        }
    }
}
