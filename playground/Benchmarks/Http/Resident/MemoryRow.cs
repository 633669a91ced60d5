using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>One figure of a <see cref="MemoryReport"/>, and what is asked of it.</summary>
internal sealed record MemoryRow(string Name, string Unit, Func<MemoryReport, double> Of, RowTarget Target);
