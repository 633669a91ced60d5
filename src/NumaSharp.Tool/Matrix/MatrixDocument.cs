namespace NumaSharp.Tool.Matrix;

/// <summary>The output of <c>matrix --format json</c> (docs/guide/matrix.md).</summary>
internal sealed record MatrixDocument(
    long SizeBytes, int Repeat, IReadOnlyList<MatrixColumn> Nodes, IReadOnlyList<MatrixCellDocument> Cells)
{
    public static MatrixDocument Of(NodeMatrix matrix) => new(
        matrix.Plan.SizeBytes, matrix.Repeat, matrix.Columns, [.. matrix.Cells.Select(MatrixCellDocument.Of)]);
}
