using System.Diagnostics;

namespace NumaSharp.TestKit;

/// <summary>The <c>dotnet</c> that runs the tests, for those that run other programs with it.</summary>
public static class DotnetHost
{
    public static string Path { get; } = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    /// <summary>Starts an assembly that lies beside the tests, there.</summary>
    public static ProcessStartInfo Program(string assembly, params string[] arguments) =>
        new(Path, [System.IO.Path.Combine(AppContext.BaseDirectory, assembly), .. arguments])
        {
            WorkingDirectory = AppContext.BaseDirectory,
        };
}
