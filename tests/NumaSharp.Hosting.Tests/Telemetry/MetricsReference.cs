using System.Text.RegularExpressions;
using NumaSharp.Hosting.Memory;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Telemetry;

/// <summary>The table of docs/reference/metrics.md.</summary>
internal static partial class MetricsReference
{
    public static IReadOnlyList<(string Name, string Kind, string Unit, string Attributes, string Description)> All { get; } =
    [
        .. Row().Matches(Repository.Read("docs", "reference", "metrics.md")).Select(static row =>
            (row.Groups[1].Value, row.Groups[2].Value, row.Groups[3].Value, Plain(row.Groups[4].Value), row.Groups[5].Value)),
    ];

    /// <summary>Those that a server on this machine has values of.</summary>
    public static IEnumerable<(string Name, string Kind, string Unit, string Attributes, string Description)> OfThisMachine =>
        All.Where(static metric => metric.Name != NumaTelemetry.NodeManagedHeapUsage || HasManagedHeap);

    /// <summary>Whether the kernel counts pages by node, and this process's collector has regions.</summary>
    public static bool HasManagedHeap =>
        File.Exists("/proc/self/numa_maps") && ManagedHeapPages.RangeBytes > 0;

    private static string Plain(string code) => code.Replace("`", "", StringComparison.Ordinal);

    [GeneratedRegex(
        @"^\| `(numasharp\.[a-z_.]+)` \| ([^|]+) \| `([^|]+)` \| ([^|]*?) \| ([^|]+) \|$", RegexOptions.Multiline, 1000)]
    private static partial Regex Row();
}
