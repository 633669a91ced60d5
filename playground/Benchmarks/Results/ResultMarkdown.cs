using NumaSharp.Playground.Benchmarks.Reporting;
using NumaSharp.Playground.Benchmarks.Results.Plots;
using static NumaSharp.Playground.Benchmarks.Results.FigureText;
using static NumaSharp.Playground.Benchmarks.Results.MarkdownText;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>The page of results: what they do not show, what is missed, and then every row.</summary>
internal static class ResultMarkdown
{
    // From docs/results.
    private const string Guide = "../guide/benchmarks.md";

    public static string Write(ResultSet results, IReadOnlyList<ResultPlot> plots)
    {
        string[] lines =
        [
            "# Results",
            "",
            "<!-- Written from the JSON beside it by `playground/Benchmarks -- render`: changes by hand are lost. -->",
            "",
            "A ratio is ours / theirs, and for rates theirs / ours: less is better. `+-` is half the interquartile range of the",
            $"ratios of the rounds. [How each row is measured]({Guide}).",
            "",
            "## What these results do not show",
            "",
            .. ResultLimits.Of(results).Select(static limit => $"- {limit}"),
            "",
            "## Missed requirements",
            "",
            .. Misses(results),
            "",
            "## Machine and commands",
            "",
            .. Machines(results),
            .. results.Measured.SelectMany(kind => Kind(kind, plots)),
        ];
        return string.Join('\n', lines) + "\n";
    }

    private static string[] Misses(ResultSet results)
    {
        (string Kind, MeasuredRow Row)[] missed =
        [
            .. from kind in results.Measured
               from row in kind.Result.Rows
               where row.Row.Met == false
               select (kind.Kind, row),
        ];
        var sum = $"Missed: {RequirementCount.Of(results.Measured.SelectMany(static kind => kind.Result.Rows))} requirements.";
        if (missed.Length == 0)
        {
            return [sum];
        }

        return
        [
            sum,
            "",
            "| kind | row | ratio | +- | required | ours | theirs | unit | against |",
            "|---|---|---:|---:|---:|---:|---:|---|---|",
            .. missed.Select(static row =>
                $"| {row.Kind} | {Name(row.Kind, row.Row.Row)} | {Ratio(row.Row.Row.Ratio)} | {Percent(row.Row.Spread)} | "
                + $"{Target(row.Row.Row.Target.Required)} | {Figures(row.Row.Row)} |"),
        ];
    }

    private static string[] Machines(ResultSet results)
    {
        string[] commands = [.. results.Measured.Select(static kind => kind.Result.Machine.Command).OfType<string>()];
        return
        [
            "| kind | CPU | CPUs | nodes | kernel | runtime | date |",
            "|---|---|---:|---:|---|---|---|",
            .. results.Measured.Select(static kind => Machine(kind.Kind, kind.Result.Machine)),
            .. commands.Length > 0 ? ["", .. commands.Select(static command => $"    {command.ReplaceLineEndings(" ")}")]
                : Array.Empty<string>(),
        ];
    }

    private static string Machine(string kind, MachineDescription machine) =>
        $"| [{kind}]({ResultSet.FileOf(kind)}) | {Plain(machine.Cpu)} | {Count(machine.Cores)} | "
        + $"{(machine.Nodes is { } nodes ? Count(nodes) : "unknown")} | {Plain(machine.Kernel)} | {Plain(machine.Runtime)} | "
        + $"{Plain(machine.Date)} |";

    private static string[] Kind(KindResult kind, IReadOnlyList<ResultPlot> plots) =>
    [
        "",
        $"## {kind.Kind}",
        "",
        Plain(kind.Result.Machine.Method),
        "",
        .. OfReadme(kind),
        .. plots.Where(plot => plot.Kind == kind.Kind)
            .SelectMany(static plot => new[] { $"![{Plain(plot.Title)}]({plot.FileName})", "" }),
        "| row | ratio | +- | required | goal | | ours | theirs | unit | against |",
        "|---|---:|---:|---:|---:|---|---:|---:|---|---|",
        .. kind.Result.Rows.Select(row => Row(kind.Kind, row)),
    ];

    private static IEnumerable<string> OfReadme(KindResult kind)
    {
        IReadOnlyList<string> table = kind.Kind == BenchmarkKinds.Http ? ConnectionTable.Write(kind.Result.Rows, Guide) : [];
        return table.Count == 0 ? table : table.Append("");
    }

    private static string Row(string kind, MeasuredRow measured)
    {
        var row = measured.Row;
        var verdict = row.Met switch
        {
            null => "",
            true => "met",
            false => "**missed**",
        };
        return $"| {Name(kind, row)} | {Ratio(row.Ratio)} | {Percent(measured.Spread)} | {Target(row.Target.Required)} | "
            + $"{Target(row.Target.Goal)} | {verdict} | {Figures(row)} |";
    }

    private static string Name(string kind, BenchmarkRow row) => $"[{Code(row.Name)}]({Guide}#rows-of-{kind})";

    private static string Target(double? ratio) => ratio is { } value ? Ratio(value) : "";

    private static string Figures(BenchmarkRow row) =>
        $"{Figure(row.Ours)} | {Figure(row.Theirs)} | {Plain(row.Unit)} | {Plain(row.Peer)}";
}
