using System.Collections;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Peers are measured as their packages have them: a variable that tunes or replaces one ends the run.</summary>
internal static class AllocatorEnvironment
{
    // mimalloc's options; glibc's and jemalloc's (MALLOC_CONF, MALLOC_ARENA_MAX, ...).
    private static readonly string[] s_prefixes = ["MIMALLOC_", "MALLOC_"];

    public static void Require()
    {
        var names = Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
            .Select(static entry => ((string)entry.Key, (string?)entry.Value));
        if (FindTuning(names) is { } tuning)
        {
            throw new BenchmarkException($"the environment tunes an allocator that is compared: unset {tuning}");
        }
    }

    /// <summary>The first variable that tunes an allocator, or null.</summary>
    public static string? FindTuning(IEnumerable<(string Name, string? Value)> environment) => environment
        .Where(static variable =>
            s_prefixes.Any(prefix => variable.Name.StartsWith(prefix, StringComparison.Ordinal))
            || (variable.Name is "LD_PRELOAD" or "GLIBC_TUNABLES"
                && variable.Value?.Contains("alloc", StringComparison.Ordinal) == true))
        .Select(static variable => variable.Name)
        .FirstOrDefault();
}
