namespace NumaSharp.Playground.Benchmarks.Reporting;

/// <summary>What a kind of benchmark writes.</summary>
internal sealed record BenchmarkResult(MachineDescription Machine, IReadOnlyList<MeasuredRow> Rows);
