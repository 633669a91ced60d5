using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>The result of one CPU on one node's memory.</summary>
/// <param name="Row">The CPU.</param>
/// <param name="NodeId">The node of the memory.</param>
/// <param name="Figures">The figures, or <see langword="null"/> if it could not be measured.</param>
/// <param name="Reason">Why it could not be measured.</param>
internal sealed record MatrixCell(MatrixRow Row, NumaNodeId NodeId, MatrixFigures? Figures, string? Reason);
