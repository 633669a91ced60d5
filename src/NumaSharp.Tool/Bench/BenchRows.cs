using NumaSharp.Tool.Bench.Http;

namespace NumaSharp.Tool.Bench;

/// <summary>All rows, in the order in which they are measured.</summary>
internal static class BenchRows
{
    public static BenchRow[] All { get; } = [.. HttpRows.All, .. MemoryRows.All, .. SchedulerRows.All];
}
