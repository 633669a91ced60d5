using System.Globalization;

namespace NumaSharp.Playground.Benchmarks.Processes;

/// <summary>How many descriptors this process and its children may have: a row that needs more is left out.</summary>
internal static class DescriptorLimit
{
    // Of descriptors, beside the connections.
    private const int Headroom = 500;

    private const string Limits = "/proc/self/limits";
    private const string Key = "Max open files";

    /// <summary>Why rows with so many connections are left out; null where they are not.</summary>
    public static string? LeftOut(IEnumerable<string> rows, int connections) =>
        LeftOut(rows, connections, Of(File.ReadLines(Limits)));

    internal static string? LeftOut(IEnumerable<string> rows, int connections, long allowed) =>
        allowed < connections + Headroom
            ? $"left out: {string.Join(", ", rows)}: {connections + Headroom} descriptors are needed, {allowed} are allowed"
            : null;

    /// <summary>The hard limit of "Max open files" in /proc/PID/limits, to which the runtime raises the soft one.</summary>
    internal static long Of(IEnumerable<string> limits)
    {
        var line = limits.FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal))
            ?? throw new BenchmarkException($"{Limits} has no '{Key}'");
        var hard = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[^2];
        return hard == "unlimited" ? long.MaxValue : long.Parse(hard, CultureInfo.InvariantCulture);
    }
}
