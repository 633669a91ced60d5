using System.Diagnostics;
using System.Globalization;

namespace NumaSharp.Playground.Tests;

/// <summary>The web app, in processes of its own.</summary>
internal static class Web
{
    private const string Assembly = "NumaSharp.Playground.Web.dll";

    /// <summary>Starts it on a port that is free.</summary>
    public static Task<StartedApp> StartAsync(params string[] arguments) =>
        StartedApp.StartAsync(Assembly, [StartedApp.AnyPort, .. arguments]);

    /// <summary>Starts it with so many descriptors. The shell sets the limit and becomes the app, id and all.</summary>
    public static Task<StartedApp> StartAsync(int descriptorLimit, params string[] arguments)
    {
        var app = DotnetHost.Program(Assembly, [StartedApp.AnyPort, .. arguments]);
        var limit = descriptorLimit.ToString(CultureInfo.InvariantCulture);
        return StartedApp.StartAsync(new ProcessStartInfo(
            "sh", ["-c", $"ulimit -n {limit}; exec \"$@\"", "sh", app.FileName, .. app.ArgumentList]));
    }

    /// <summary>Runs it to an end that must come by itself.</summary>
    public static Task<ProgramResult> RunAsync(params string[] arguments) =>
        ExternalProgram.TryAsync(DotnetHost.Program(Assembly, arguments));
}
