using NumaSharp.Core;

namespace NumaSharp.Tool.Matrix;

/// <summary>A CPU to measure from.</summary>
/// <param name="Cpu">The CPU.</param>
/// <param name="NodeId">Its node.</param>
internal readonly record struct MatrixRow(int Cpu, NumaNodeId NodeId);
