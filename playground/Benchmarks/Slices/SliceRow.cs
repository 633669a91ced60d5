using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Slices;

/// <summary>A figure of ours against a peer's.</summary>
internal sealed record SliceRow(string Name, SliceSide Ours, SliceSide Theirs, SliceFigure Figure, RowTarget Target = default);
