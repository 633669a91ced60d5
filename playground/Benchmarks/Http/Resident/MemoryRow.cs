using NumaSharp.Playground.Benchmarks.Reporting;

namespace NumaSharp.Playground.Benchmarks.Http.Resident;

/// <summary>A figure of an <see cref="IMemoryLook"/>, and what is asked of it.</summary>
internal sealed record MemoryRow(string Name, string Unit, RowTarget Target);
