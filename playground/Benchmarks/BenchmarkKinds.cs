namespace NumaSharp.Playground.Benchmarks;

/// <summary>The kinds on the command line.</summary>
internal static class BenchmarkKinds
{
    public const string Memory = "memory";
    public const string Pool = "pool";
    public const string Scheduler = "scheduler";
    public const string Http = "http";
    public const string Udp = "udp";

    private static readonly string[] s_all = [Memory, Pool, Scheduler, Http, Udp];

    public static string? Refusal(string kind) => s_all.Contains(kind, StringComparer.Ordinal)
        ? null
        : $"'{kind}' is not a kind of benchmark; available: {string.Join(", ", s_all)}";
}
