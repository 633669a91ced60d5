using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>A figure of an <see cref="IMemoryLook"/>, and its target.</summary>
internal sealed record MemoryRow(string Name, string Unit, RowTarget Target);
