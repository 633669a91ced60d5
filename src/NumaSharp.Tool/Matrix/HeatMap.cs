using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Tool.Commands;
using Spectre.Console;

namespace NumaSharp.Tool.Matrix;

/// <summary>The matrix on the terminal: one map per figure, then the failed cells and the method.</summary>
internal static class HeatMap
{
    private const int CellFrame = 3;
    private const int NumberWidth = 7;

    public static void Write(IAnsiConsole console, NodeMatrix matrix)
    {
        string[] reasons = [.. matrix.Cells.Select(static cell => cell.Reason).OfType<string>().Distinct()];
        WriteMap(console, matrix, reasons, "Latency of a dependent read, ns", "0", higherIsBetter: false,
            static figures => figures.LatencyNanoseconds);
        WriteMap(console, matrix, reasons, "Read bandwidth of one thread, GB/s", "0.0", higherIsBetter: true,
            static figures => figures.GigabytesPerSecond);
        WriteMap(console, matrix, reasons, $"Time to read {SizeText.Format(matrix.Plan.SizeBytes)} once, ms", "0.0",
            higherIsBetter: false, static figures => figures.ReadTime.TotalMilliseconds);
        for (var i = 0; i < reasons.Length; i++)
        {
            console.WriteLine($"{MarkOf(i)} {reasons[i]}");
        }

        foreach (var column in matrix.Columns.Where(static column => column.Reason is null))
        {
            console.WriteLine(Describe(column, matrix.Plan.SizeBytes));
        }

        console.WriteLine($"Medians of {matrix.Repeat}.");
    }

    private static void WriteMap(
        IAnsiConsole console,
        NodeMatrix matrix,
        string[] reasons,
        string title,
        string format,
        bool higherIsBetter,
        Func<MatrixFigures, double> valueOf)
    {
        var scale = new HeatScale(
            matrix.Cells.Select(static cell => cell.Figures).OfType<MatrixFigures>().Select(valueOf), higherIsBetter);
        console.WriteLine(title);
        foreach (var part in PartsOf(matrix, console.Profile.Width))
        {
            console.Write(TableOf(matrix, part, console.Profile, cell => CellOf(cell, scale, reasons, format, valueOf)));
        }

        console.Write(LegendOf(scale, format, higherIsBetter));
        console.WriteLine();
    }

    // As many nodes side by side as fit: a number must not be truncated.
    private static IEnumerable<Range> PartsOf(NodeMatrix matrix, int width)
    {
        var columns = matrix.Plan.Columns;
        var first = matrix.Plan.Rows.Select(static row => NameOf(row).Length).DefaultIfEmpty().Max() + CellFrame + 1;
        var other = Math.Max(columns.Max(static node => NameOf(node).Length), NumberWidth) + CellFrame;
        var count = Math.Max(1, (width - first) / other);
        for (var start = 0; start < columns.Length; start += count)
        {
            yield return start..Math.Min(start + count, columns.Length);
        }
    }

    private static Table TableOf(NodeMatrix matrix, Range part, Profile profile, Func<MatrixCell, Text> cellOf)
    {
        var table = new Table().Border(Borders.OfTable(profile)).AddColumn("from");
        foreach (var node in matrix.Plan.Columns[part])
        {
            table.AddColumn(new TableColumn(NameOf(node)).RightAligned());
        }

        foreach (var row in matrix.Cells.Chunk(matrix.Plan.Columns.Length))
        {
            table.AddRow([new Text(NameOf(row[0].Row)), .. row[part].Select(cellOf)]);
        }

        return table;
    }

    private static string NameOf(NumaNode node) => $"node {ToolText.Number(node.NodeId)}";

    private static string NameOf(MatrixRow row) => $"CPU {ToolText.Number(row.Cpu)} (node {row.NodeId})";

    private static Text CellOf(
        MatrixCell cell, HeatScale scale, string[] reasons, string format, Func<MatrixFigures, double> valueOf) =>
        cell.Figures is { } figures
            ? new Text(Number(valueOf(figures), format), scale.StyleOf(valueOf(figures)))
            : new Text(MarkOf(Array.IndexOf(reasons, cell.Reason)));

    private static Paragraph LegendOf(HeatScale scale, string format, bool higherIsBetter)
    {
        var legend = new Paragraph();
        if (scale.Maximum == 0)
        {
            return legend.Append("nothing could be measured");
        }

        if (scale.Minimum == scale.Maximum)
        {
            return legend;
        }

        if (scale.IsFlat)
        {
            return legend.Append($" {Number(scale.Minimum, format)} to {Number(scale.Maximum, format)} ", scale.StyleOf(0))
                .Append(" the same everywhere, apart from noise");
        }

        var (best, worst) = higherIsBetter ? (scale.Maximum, scale.Minimum) : (scale.Minimum, scale.Maximum);
        legend.Append("best ");
        for (var i = 0; i <= 4; i++)
        {
            var value = best + ((worst - best) * i / 4);
            legend.Append($" {Number(value, format)} ", scale.StyleOf(value));
        }

        return legend.Append(" worst");
    }

    private static string Describe(MatrixColumn column, long size)
    {
        var pages = column.PagesChecked == 0
            ? "the system does not report where its pages are"
            : $"{column.PagesThere} of {column.PagesChecked} checked pages are on it";
        var huge = column.HugePageBytes switch
        {
            null => "huge pages unknown: the latency may include TLB misses",
            { } bytes when bytes >= size => "all in huge pages",
            { } bytes => string.Create(
                CultureInfo.InvariantCulture,
                $"{100.0 * bytes / size:0} % in huge pages: the latency includes TLB misses"),
        };
        return $"Node {column.NodeId}: {column.Placement}; {pages}; {huge}.";
    }

    private static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);

    private static string MarkOf(int index) => string.Create(CultureInfo.InvariantCulture, $"[{index + 1}]");
}

/// <summary>Colours from a map's best value, green, to its worst, red.</summary>
internal sealed class HeatScale
{
    // A smaller spread is measurement noise: a map of one node must not seem to have hot spots.
    private const double FlatShare = 0.05;

    private static readonly (double R, double G, double B)[] s_stops = [(87, 171, 90), (235, 203, 80), (214, 82, 67)];

    private readonly bool _higherIsBetter;

    public HeatScale(IEnumerable<double> values, bool higherIsBetter)
    {
        double[] all = [.. values];
        _higherIsBetter = higherIsBetter;
        (Minimum, Maximum) = all.Length == 0 ? (0, 0) : (all.Min(), all.Max());
    }

    public double Minimum { get; }

    public double Maximum { get; }

    /// <summary>Whether all values are equal except for noise.</summary>
    public bool IsFlat => Maximum - Minimum <= Minimum * FlatShare;

    /// <summary>0 for the best value, 1 for the worst.</summary>
    public double HeatOf(double value)
    {
        if (IsFlat)
        {
            return 0;
        }

        var share = Math.Clamp((value - Minimum) / (Maximum - Minimum), 0, 1);
        return _higherIsBetter ? 1 - share : share;
    }

    public Style StyleOf(double value)
    {
        var heat = HeatOf(value) * (s_stops.Length - 1);
        var index = Math.Min((int)heat, s_stops.Length - 2);
        var (from, to, share) = (s_stops[index], s_stops[index + 1], heat - index);
        return new Style(
            Color.Black,
            new Color(Mix(from.R, to.R, share), Mix(from.G, to.G, share), Mix(from.B, to.B, share)));
    }

    private static byte Mix(double from, double to, double share) => (byte)Math.Round(from + ((to - from) * share));
}
