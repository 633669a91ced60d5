namespace NumaSharp.TestKit;

/// <summary>The <c>dotnet</c> that runs the tests, for those that run other programs with it.</summary>
public static class DotnetHost
{
    public static string Path { get; } = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";
}
