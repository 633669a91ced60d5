using System.Text.Json.Serialization;

namespace NumaSharp.Tool.Matrix;

/// <summary>The output of <c>matrix --format json</c> (docs/guide/matrix.md).</summary>
internal sealed record MatrixDocument(
    long SizeBytes, int Repeat, IReadOnlyList<MatrixColumn> Nodes, IReadOnlyList<MatrixCellDocument> Cells)
{
    public static MatrixDocument Of(NodeMatrix matrix) => new(
        matrix.Plan.SizeBytes, matrix.Repeat, matrix.Columns, [.. matrix.Cells.Select(MatrixCellDocument.Of)]);
}

/// <summary>A cell of <see cref="MatrixDocument"/>.</summary>
internal sealed record MatrixCellDocument(
    int Cpu,
    int CpuNode,
    int MemoryNode,
    double? LatencyNanoseconds,
    double? GigabytesPerSecond,
    double? ReadMilliseconds,
    string? Reason)
{
    private const int Digits = 3;

    public static MatrixCellDocument Of(MatrixCell cell) => new(
        cell.Row.Cpu,
        cell.Row.NodeId.Value,
        cell.NodeId.Value,
        Rounded(cell.Figures?.LatencyNanoseconds),
        Rounded(cell.Figures?.GigabytesPerSecond),
        Rounded(cell.Figures?.ReadTime.TotalMilliseconds),
        cell.Reason);

    private static double? Rounded(double? value) => value is { } number ? Math.Round(number, Digits) : null;
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(MatrixDocument))]
internal sealed partial class MatrixJson : JsonSerializerContext;
