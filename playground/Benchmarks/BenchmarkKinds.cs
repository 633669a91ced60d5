using NumaSharp.Playground.Benchmarks.Http;
using NumaSharp.Playground.Benchmarks.Http.Stops;

namespace NumaSharp.Playground.Benchmarks;

/// <summary>The kinds on the command line.</summary>
internal static class BenchmarkKinds
{
    public const string Memory = "memory";
    public const string Pool = "pool";
    public const string Scheduler = "scheduler";
    public const string Http = "http";
    public const string Udp = "udp";
    public const string Stop = "stop";

    public static IReadOnlyList<string> All { get; } = [Memory, Pool, Scheduler, Http, Udp, Stop];

    /// <summary>Whether it compares values of Numa:Transport:Dispatch.</summary>
    public static bool TakesDispatch(string kind) => kind is Http or Stop;

    /// <summary>Whether two builds can be measured in one run: what is measured is in processes of its own.</summary>
    public static bool TakesEarlier(string kind) => kind == Http;

    /// <summary>Without --dispatch. Kinds that do not take it leave it alone.</summary>
    public static IReadOnlyList<DispatchMode> DefaultDispatch(string kind) =>
        kind == Stop ? StopPlan.DefaultDispatch : HttpPlan.DefaultDispatch;

    public static string? Refusal(string kind) => All.Contains(kind, StringComparer.Ordinal)
        ? null
        : $"'{kind}' is not a kind of benchmark; available: {string.Join(", ", All)}";
}
