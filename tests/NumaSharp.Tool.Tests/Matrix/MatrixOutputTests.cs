using System.Text.Json;
using NumaSharp.Tool.Matrix;
using Spectre.Console;
using static NumaSharp.TestKit.TestMachines;

namespace NumaSharp.Tool.Tests.Matrix;

public sealed class MatrixOutputTests
{
    private const string Refusal = "binding was refused (EPERM) [sic]";

    private static readonly NodeMatrix s_matrix = CreateMatrix();

    [Fact]
    public void Write_WithoutColours_HasNumbersMarksReasonsAndWhereThePagesAre()
    {
        var text = Render(AnsiSupport.No);

        Assert.DoesNotContain('\e', text);
        Assert.Contains("│ CPU 0 (node 0) │     80 │   [1] │", Squeezed(text), StringComparison.Ordinal);
        Assert.Contains("│ CPU 8 (node 1) │    140 │    [1] │", text, StringComparison.Ordinal);
        Assert.Contains("best  80  95  110  125  140  worst", text, StringComparison.Ordinal);
        Assert.Contains("best  12.0  10.5  9.0  7.5  6.0  worst", text, StringComparison.Ordinal);
        Assert.Contains($"[1] {Refusal}", text, StringComparison.Ordinal);
        Assert.Contains(
            "Node 0: bound; 256 of 256 checked pages are on it; 50 % in huge pages", text, StringComparison.Ordinal);
        Assert.Contains("Time to read 1 MiB once, ms", text, StringComparison.Ordinal);

        static string Squeezed(string table) => table.Replace("    [1]", "   [1]", StringComparison.Ordinal);
    }

    [Fact]
    public void Write_OnATerminal_ColoursBestAndWorst()
    {
        var text = Render(AnsiSupport.Yes);

        Assert.Contains("48;2;87;171;90m80", text, StringComparison.Ordinal);
        Assert.Contains("48;2;214;82;67m140", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Json_Cells_HaveFiguresOrAReason()
    {
        using var json = JsonSerializer.SerializeToDocument(
            MatrixDocument.Of(s_matrix), MatrixJson.Default.MatrixDocument);
        var root = json.RootElement;

        Assert.Equal(MatrixPlan.MinSizeBytes, root.GetProperty("sizeBytes").GetInt64());
        Assert.Equal(5, root.GetProperty("repeat").GetInt32());
        var node = root.GetProperty("nodes")[0];
        Assert.Equal(0, node.GetProperty("id").GetInt32());
        Assert.Equal("bound", node.GetProperty("placement").GetString());
        Assert.Equal((256, 256), (node.GetProperty("pagesChecked").GetInt32(), node.GetProperty("pagesThere").GetInt32()));
        Assert.Equal(MatrixPlan.MinSizeBytes / 2, node.GetProperty("hugePageBytes").GetInt64());
        Assert.Equal(Refusal, root.GetProperty("nodes")[1].GetProperty("reason").GetString());

        Assert.Equal(4, root.GetProperty("cells").GetArrayLength());
        var cell = root.GetProperty("cells")[2];
        Assert.Equal(
            (8, 1, 0),
            (NumberOf("cpu"), NumberOf("cpuNode"), NumberOf("memoryNode")));
        Assert.Equal(140, cell.GetProperty("latencyNanoseconds").GetDouble());
        Assert.Equal(6, cell.GetProperty("gigabytesPerSecond").GetDouble());
        Assert.Equal(0.175, cell.GetProperty("readMilliseconds").GetDouble());
        Assert.Equal(JsonValueKind.Null, cell.GetProperty("reason").ValueKind);

        var refused = root.GetProperty("cells")[3];
        Assert.Equal(JsonValueKind.Null, refused.GetProperty("latencyNanoseconds").ValueKind);
        Assert.Equal(Refusal, refused.GetProperty("reason").GetString());

        int NumberOf(string property) => cell.GetProperty(property).GetInt32();
    }

    [Theory]
    [InlineData(40)]
    [InlineData(80)]
    public void Write_MoreNodesThanFit_ContinuesBelowWithWholeNumbers(int width)
    {
        var text = Render(AnsiSupport.No, Wide(16), width);

        Assert.All(text.Split('\n'), line => Assert.True(line.Length <= width, line));
        Assert.All(Enumerable.Range(0, 16), node => Assert.Contains($" {1000 + node} │", text, StringComparison.Ordinal));
    }

    private static string Render(AnsiSupport ansi, NodeMatrix? matrix = null, int width = 120)
    {
        using var writer = new StringWriter { NewLine = "\n" };
        var console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = new AnsiConsoleOutput(writer),
            Ansi = ansi,
            ColorSystem = ansi == AnsiSupport.Yes ? ColorSystemSupport.TrueColor : ColorSystemSupport.NoColors,
        });
        console.Profile.Width = width;
        HeatMap.Write(console, matrix ?? s_matrix);
        return writer.ToString();
    }

    private static NodeMatrix CreateMatrix()
    {
        var plan = new MatrixPlan(
            [new MatrixRow(0, new(0)), new MatrixRow(8, new(1))], [Node(0, "0"), Node(1, "8")], MatrixPlan.MinSizeBytes);
        return new NodeMatrix(
            plan,
            Repeat: 5,
            [
                new MatrixColumn(new(0), "bound", 256, 256, MatrixPlan.MinSizeBytes / 2, Reason: null),
                new MatrixColumn(new(1), "none", 0, 0, null, Refusal),
            ],
            [
                Measured(plan.Rows[0], 80, 12), Refused(plan.Rows[0]), Measured(plan.Rows[1], 140, 6), Refused(plan.Rows[1]),
            ]);
    }

    // One CPU; the latency shows the node.
    private static NodeMatrix Wide(int nodes)
    {
        var row = new MatrixRow(0, new(0));
        var ids = Enumerable.Range(0, nodes).ToArray();
        return new NodeMatrix(
            new MatrixPlan([row], [.. ids.Select(static id => Node(id, "0"))], MatrixPlan.MinSizeBytes),
            Repeat: 1,
            [.. ids.Select(static id => new MatrixColumn(new(id), "bound", 256, 256, 0, Reason: null))],
            [.. ids.Select(id => Measured(row, 1000 + id, 12) with { NodeId = new(id) })]);
    }

    private static MatrixCell Measured(MatrixRow row, double latency, double bandwidth) =>
        new(row, new(0), new MatrixFigures(TimeSpan.FromSeconds(0.00105 / bandwidth), bandwidth, latency), Reason: null);

    private static MatrixCell Refused(MatrixRow row) => new(row, new(1), Figures: null, Refusal);
}
