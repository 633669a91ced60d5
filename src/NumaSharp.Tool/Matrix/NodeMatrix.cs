namespace NumaSharp.Tool.Matrix;

/// <summary>The result of a measurement.</summary>
/// <param name="Plan">The plan of the measurement.</param>
/// <param name="Repeat">The number of repeats.</param>
/// <param name="Columns">The buffers, in the plan's order.</param>
/// <param name="Cells">All cells, row by row.</param>
internal sealed record NodeMatrix(
    MatrixPlan Plan, int Repeat, IReadOnlyList<MatrixColumn> Columns, IReadOnlyList<MatrixCell> Cells);
