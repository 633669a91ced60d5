using System.Text.RegularExpressions;
using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>The pictures of results. One that would have no row is left out.</summary>
internal static partial class ResultPlots
{
    private const string Ours = "ours";
    private const string Latency = "latency.svg";
    private const string Memory = "memory-of-connections.svg";
    private const string Sizes = "allocator-sizes.svg";
    private const string Udp = "udp.svg";

    private static readonly string[] s_memoryUnits = ["B/connection", "KB/connection", "MB"];

    public static IEnumerable<string> FileNames => [.. BenchmarkKinds.All.Select(RatiosOf), Latency, Memory, Sizes, Udp];

    public static IEnumerable<ResultPlot> Of(ResultSet results) => results.Measured.SelectMany(static kind =>
        kind.Result.Rows.Count == 0 ? [] : Figures(kind.Kind, kind.Result.Rows).Prepend(Ratios(kind.Kind, kind.Result.Rows)));

    private static string RatiosOf(string kind) => $"ratios-{kind}.svg";

    private static ResultPlot Ratios(string kind, IReadOnlyList<MeasuredRow> rows) =>
        new(kind, RatiosOf(kind), RatioPlot.TitleOf(kind), RatioPlot.Draw(kind, rows));

    private static IEnumerable<ResultPlot> Figures(string kind, IReadOnlyList<MeasuredRow> rows)
    {
        (string File, FigurePlot? Plot)[] plots = kind switch
        {
            BenchmarkKinds.Http => [(Latency, LatencyOf(rows)), (Memory, MemoryOf(rows))],
            BenchmarkKinds.Memory => [(Sizes, SizesOf(rows))],
            BenchmarkKinds.Udp => [(Udp, UdpOf(rows))],
            _ => [],
        };
        foreach (var (file, plot) in plots)
        {
            if (plot is not null)
            {
                yield return new ResultPlot(kind, file, plot.Title, plot.Draw());
            }
        }
    }

    // Of the default dispatch, whose rows have no word more.
    private static FigurePlot? LatencyOf(IReadOnlyList<MeasuredRow> rows) => AgainstPeer(
        "http: latency, median and 99th percentile",
        rows.Where(static row => row.Row.Unit == "ms" && LatencyRow().IsMatch(row.Row.Name)));

    private static FigurePlot? MemoryOf(IReadOnlyList<MeasuredRow> rows) => AgainstPeer(
        "http: memory of idle and of slow connections, and after them",
        rows.Where(static row => s_memoryUnits.Contains(row.Row.Unit, StringComparer.Ordinal)));

    private static FigurePlot? SizesOf(IReadOnlyList<MeasuredRow> rows) => BySide(
        "memory: a block allocated and freed, by size",
        from row in rows
        let name = SizeRow().Match(row.Row.Name)
        where name.Success
        select new SideRow(name.Groups["work"].Value, Ours, name.Groups["peer"].Value, row.Row));

    private static FigurePlot? UdpOf(IReadOnlyList<MeasuredRow> rows) => BySide(
        "udp: CPU per datagram",
        from row in rows
        let name = UdpRow().Match(row.Row.Name)
        where name.Success
        select new SideRow(name.Groups["work"].Value, name.Groups["ours"].Value, name.Groups["peer"].Value, row.Row));

    private static FigurePlot? AgainstPeer(string title, IEnumerable<MeasuredRow> rows)
    {
        FigureSection[] sections =
        [
            .. rows.GroupBy(static row => row.Row.Unit).Select(static unit => new FigureSection(
                unit.Key, [.. unit.Select(static row => new FigureLane(row.Row.Name, [row.Row.Ours, row.Row.Theirs]))])),
        ];
        return sections.Length == 0 ? null : new FigurePlot(title, [Ours, "peer"], sections);
    }

    // The rows of the same work are measured together; ours, which is in several of them, is that of the first.
    private static FigurePlot? BySide(string title, IEnumerable<SideRow> rows)
    {
        SideRow[] all = [.. rows];
        if (all.Length == 0)
        {
            return null;
        }

        string[] sides = [.. all.SelectMany(static row => new[] { row.Ours, row.Peer }).Prepend(Ours).Distinct()];
        FigureLane[] lanes =
        [
            .. from work in all.GroupBy(static row => row.Work)
               select new FigureLane(work.Key, [.. sides.Select(side => FigureOf(work, side))]),
        ];
        return new FigurePlot(title, sides, [new FigureSection(all[0].Row.Unit, lanes)]);
    }

    private static double? FigureOf(IEnumerable<SideRow> rows, string side)
    {
        var first = rows.FirstOrDefault(row => row.Ours == side || row.Peer == side);
        return first is null ? null : first.Ours == side ? first.Row.Ours : first.Row.Theirs;
    }

    [GeneratedRegex(@"^\S+ p(?:50|99)(?:-\d+)?$", RegexOptions.None, 1000)]
    private static partial Regex LatencyRow();

    [GeneratedRegex(@"^alloc (?<work>\d+[BK]) vs (?<peer>\S+)$", RegexOptions.None, 1000)]
    private static partial Regex SizeRow();

    [GeneratedRegex(@"^(?<work>.+) cpu (?<ours>\S+) vs (?<peer>\S+)$", RegexOptions.None, 1000)]
    private static partial Regex UdpRow();

    private sealed record SideRow(string Work, string Ours, string Peer, BenchmarkRow Row);
}
