using System.Collections;
using NumaSharp.Playground.Benchmarks.Interop;

namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>
/// Some libraries have thread-local data that must lie where the loader makes room at the start of the process (jemalloc:
/// "cannot allocate memory in static TLS block"). A variable that is read before the first instruction
/// requests more room, so the process restarts itself once.
/// </summary>
internal static class StaticTls
{
    public const string Variable = "GLIBC_TUNABLES";
    public const string Room = "glibc.rtld.optional_static_tls=16384";

    /// <summary>Returns if there is room, or if none is needed.</summary>
    public static void Ensure(IEnumerable<PeerLibrary> libraries)
    {
        var tunables = Environment.GetEnvironmentVariable(Variable);
        if (!libraries.Any(static library => library.NeedsStaticTls) || WithRoom(tunables) is not { } value)
        {
            return;
        }

        var environment = Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
            .Where(static entry => (string)entry.Key != Variable)
            .Select(static entry => $"{entry.Key}={entry.Value}")
            .Append($"{Variable}={value}");
        var arguments = File.ReadAllText("/proc/self/cmdline").TrimEnd('\0').Split('\0');
        var result = HarnessCalls.Exec("/proc/self/exe", arguments, environment);
        throw new BenchmarkException($"the process cannot start itself again: execve says {result.ErrorName}");
    }

    /// <summary>The variable's value with room, or null if it already requests it.</summary>
    public static string? WithRoom(string? tunables) =>
        tunables?.Contains("optional_static_tls", StringComparison.Ordinal) == true ? null
        : string.IsNullOrEmpty(tunables) ? Room
        : $"{tunables}:{Room}";
}
