using System.Text.Json.Serialization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>The result of a measurement.</summary>
/// <param name="Plan">The plan of the measurement.</param>
/// <param name="Repeat">The number of repeats.</param>
/// <param name="Columns">The buffers, in the plan's order.</param>
/// <param name="Cells">All cells, row by row.</param>
internal sealed record NodeMatrix(
    MatrixPlan Plan, int Repeat, IReadOnlyList<MatrixColumn> Columns, IReadOnlyList<MatrixCell> Cells);

/// <summary>The buffer on a node, as reported by the kernel; also part of <see cref="MatrixDocument"/>.</summary>
/// <param name="NodeId">The node.</param>
/// <param name="Placement">How it was placed: bound, preferred or first touch.</param>
/// <param name="PagesChecked">The number of pages looked up; 0 if the system refuses to report them.</param>
/// <param name="PagesThere">The number of those on the node.</param>
/// <param name="HugePageBytes">The bytes in huge pages; <see langword="null"/> if the system does not report them.</param>
/// <param name="Reason">Why there is no buffer; <see langword="null"/> if there is one.</param>
internal sealed record MatrixColumn(
    [property: JsonPropertyName("id")] NumaNodeId NodeId,
    string Placement,
    long PagesChecked,
    long PagesThere,
    long? HugePageBytes,
    string? Reason);

/// <summary>The result of one CPU on one node's memory.</summary>
/// <param name="Row">The CPU.</param>
/// <param name="NodeId">The node of the memory.</param>
/// <param name="Figures">The figures, or <see langword="null"/> if it could not be measured.</param>
/// <param name="Reason">Why it could not be measured.</param>
internal sealed record MatrixCell(MatrixRow Row, NumaNodeId NodeId, MatrixFigures? Figures, string? Reason);

/// <summary>Medians of the repeats.</summary>
/// <param name="ReadTime">The time to read the whole buffer once, in order, with one thread.</param>
/// <param name="GigabytesPerSecond">The same as a rate, 10^9 bytes per second.</param>
/// <param name="LatencyNanoseconds">The time of a read at an address that the previous read returned.</param>
internal sealed record MatrixFigures(TimeSpan ReadTime, double GigabytesPerSecond, double LatencyNanoseconds);
