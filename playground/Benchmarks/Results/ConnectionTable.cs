using System.Globalization;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>CPU per request against Kestrel's sockets, by connections: a table that the README has, too.</summary>
internal static class ConnectionTable
{
    private const string Cpu = " cpu";

    // The rows of 64 connections have none.
    private static readonly string[] s_suffixes = ["", "-256", "-512"];

    /// <summary>Its lines; none if no work was measured with several numbers of connections.</summary>
    /// <param name="rows">The rows of <c>http</c>.</param>
    /// <param name="guide">The page that describes the rows, as the page with the table reaches it.</param>
    public static IReadOnlyList<string> Write(IEnumerable<MeasuredRow> rows, string guide)
    {
        var byName = rows.Select(static measured => measured.Row).ToLookup(static row => row.Name, StringComparer.Ordinal);
        string[] lines =
        [
            .. from name in byName.Select(static row => row.Key)
               where name.EndsWith(Cpu, StringComparison.Ordinal)
               let cells = s_suffixes.Select(suffix => byName[name + suffix].FirstOrDefault()).ToArray()
               where cells.Skip(1).Any(static cell => cell is not null)
               let link = $"[{MarkdownText.Code(name)}]({guide}#rows-of-{BenchmarkKinds.Http})"
               select $"| {link} | {string.Join(" | ", cells.Select(Cell))} |",
        ];
        if (lines.Length == 0)
        {
            return [];
        }

        return
        [
            "| CPU per request against Kestrel's default sockets, by connections | 64 | 256 | 512 |",
            "|---|---|---|---|",
            .. lines,
        ];
    }

    // A miss is bold.
    private static string Cell(BenchmarkRow? row)
    {
        if (row is null)
        {
            return "";
        }

        var ratio = row.Ratio.ToString("0.00", CultureInfo.InvariantCulture);
        return row.Met == false ? $"**{ratio}**" : ratio;
    }
}
