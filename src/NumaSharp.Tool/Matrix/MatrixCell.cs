using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>What one CPU measured on one node's memory.</summary>
/// <param name="Row">The CPU.</param>
/// <param name="NodeId">The node of the memory.</param>
/// <param name="Figures">The figures, or <see langword="null"/> when it could not be measured.</param>
/// <param name="Reason">Why not.</param>
internal sealed record MatrixCell(MatrixRow Row, NumaNodeId NodeId, MatrixFigures? Figures, string? Reason);
