namespace NumaSharp.Playground.Benchmarks.Http;

/// <summary>How servers run in a scenario, the same on all sides.</summary>
/// <param name="IsPinned">Whether the servers have one CPU and the load another; otherwise they share all.</param>
/// <param name="Switches">On their command lines.</param>
internal sealed record ServerSetting(bool IsPinned, IReadOnlyList<string> Switches)
{
    // With the host's diagnostics on it makes an activity and a scope for each request: 800 bytes, on every side.
    private static readonly string[] s_withoutDiagnostics =
        ["--Logging:LogLevel:Microsoft.AspNetCore.Hosting.Diagnostics=None"];

    public static ServerSetting Usual { get; } = new(IsPinned: true, s_withoutDiagnostics);

    public static ServerSetting Unpinned { get; } = new(IsPinned: false, s_withoutDiagnostics);

    /// <summary>With them, at the level Warning, as in the templates of ASP.NET Core.</summary>
    public static ServerSetting Diagnostics { get; } = new(IsPinned: true, []);

    /// <summary>In the order in which they are measured.</summary>
    public static IReadOnlyList<ServerSetting> All { get; } = [Usual, Diagnostics, Unpinned];
}
