namespace NumaSharp.Tool.Matrix;

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
