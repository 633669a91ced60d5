using System.Runtime.InteropServices;

namespace NumaSharp.Playground.Benchmarks.Processes;

/// <summary>Finds the programs that the harness starts.</summary>
internal static class Executables
{
    /// <summary>The dotnet host of the runtime that this process runs on.</summary>
    public static string DotnetHost { get; } =
        // <root>/shared/Microsoft.NETCore.App/<version>/
        Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "../../../dotnet"));

    /// <summary>The full path of a program on PATH, or null.</summary>
    public static string? Find(string name) =>
        (Environment.GetEnvironmentVariable("PATH") ?? string.Empty)
            .Split(':', StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, name))
            .FirstOrDefault(File.Exists);
}
