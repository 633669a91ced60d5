using NumaSharp.Core;

namespace NumaSharp.Hosting.Health;

/// <summary>The fallbacks in force, for health checks: those of a component, which is the first word of the feature.</summary>
internal static class FallbackProblems
{
    public const string Loops = "loop.";
    public const string Memory = "memory.";
    public const string Udp = "udp.";

    public static bool IsOf(this NumaFallback fallback, string component) =>
        fallback.Feature.StartsWith(component, StringComparison.Ordinal);

    /// <summary>What has happened, then what to do, which is often the same for several.</summary>
    public static IEnumerable<string> Describe(this NumaFallbacks fallbacks, Func<NumaFallback, bool> concerns)
    {
        var found = fallbacks.Current.Where(concerns).ToArray();
        return
        [
            .. found.Select(static fallback => fallback.Sentence),
            .. found.Select(static fallback => fallback.Remedy).OfType<string>().Distinct(StringComparer.Ordinal),
        ];
    }
}
