namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>A row, and how far the ratios of its rounds are apart where there were rounds.</summary>
internal readonly record struct MeasuredRow(BenchmarkRow Row, double? Spread);
