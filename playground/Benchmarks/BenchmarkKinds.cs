namespace NumaSharp.Playground.Benchmarks;

/// <summary>The kinds on the command line, and which of them this version can run.</summary>
internal static class BenchmarkKinds
{
    public const string Memory = "memory";
    public const string Pool = "pool";
    public const string Scheduler = "scheduler";
    public const string Http = "http";

    private static readonly string[] s_all = [Memory, Pool, Scheduler, Http, "udp"];
    private static readonly string[] s_available = [Memory, Pool, Scheduler, Http];

    public static string? Refusal(string kind)
    {
        if (s_available.Contains(kind, StringComparer.Ordinal))
        {
            return null;
        }

        var reason = s_all.Contains(kind, StringComparer.Ordinal) ? "is not available yet" : "is not a kind of benchmark";
        return $"'{kind}' {reason}; available: {string.Join(", ", s_available)}";
    }
}
