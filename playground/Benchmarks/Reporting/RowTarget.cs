namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>The largest ratio that is accepted, and the one that is aimed at.</summary>
internal readonly record struct RowTarget(double? Required, double? Goal);
