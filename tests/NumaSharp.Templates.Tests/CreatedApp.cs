using System.Diagnostics;

namespace NumaSharp.Templates.Tests;

/// <summary>
/// An application as a user makes it: the packages are packed into a folder, the template is installed from there, and the
/// application is created and built.
/// </summary>
public sealed class CreatedApp : IAsyncLifetime
{
    public const string Name = "Acme.Shop";

    // None that any source of packages, or the machine's cache, can have.
    public const string Version = "0.1.0-packed";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    // Servers of builds would outlive the test, with files of its folder open.
    private static readonly string[] s_withoutServers = ["--disable-build-servers", "-p:UseSharedCompilation=false"];

    private static readonly string[][] s_packed =
    [
        ["src", "NumaSharp"], ["src", "NumaSharp.Transport.Epoll"], ["src", "NumaSharp.Udp"], ["hosting", "NumaSharp.Hosting"],
        ["plugins", "NumaSharp.Plugins.Simulated"], ["templates", "NumaSharp.Templates"],
    ];

    private readonly TemporaryFolder _folder = new();
    private ProgramResult? _failed;

    public string Folder => _folder.PathOf(Name);

    public string PackageOf(string name) => Path.Combine(_folder.PathOf("packages"), $"{name}.{Version}.nupkg");

    public string PathOf(params string[] parts) => Path.Combine([Folder, .. parts]);

    /// <summary>Skips if a package of the build is missing. Fails if anything else kept the application from building.</summary>
    public void Require()
    {
        if (_failed is not null)
        {
            AheadOfTime.SkipIfAPackageIsMissing(_failed.Output);
            Assert.Fail($"{_failed}");
        }
    }

    public Task<ProgramResult> BuildAsync() => DotnetAsync(Folder, ["build", .. s_withoutServers]);

    /// <summary>Starts the built application as <c>dotnet run</c> does, with a launch profile, on a free port.</summary>
    public Task<StartedApp> StartAsync(string profile)
    {
        TemporaryFolder.SkipUnlessProgramsRun();
        return StartedApp.StartAsync(
            Dotnet(Folder, "run", "--no-build", "--launch-profile", profile, "--", StartedApp.AnyPort));
    }

    public async ValueTask InitializeAsync()
    {
        WriteSources();
        foreach (var project in s_packed)
        {
            string[] pack =
            [
                "pack", Repository.PathOf(project), "-c", "Release", $"-p:Version={Version}", "-p:RunAnalyzers=false",
                "--artifacts-path", _folder.PathOf("artifacts"), "-o", _folder.PathOf("packages"), .. s_withoutServers,
            ];
            if (!await TryAsync(Repository.Root, pack))
            {
                return;
            }
        }

        // The templates of this machine's users stay as they are.
        string[] hive = ["--debug:custom-hive", _folder.PathOf("hive")];
        _ = await TryAsync(_folder.Path, ["new", "install", PackageOf("NumaSharp.Templates"), .. hive])
            && await TryAsync(_folder.Path, ["new", "numa-web", "-n", Name, "-o", Folder, "--no-restore", .. hive])
            && await TryAsync(Folder, ["build", .. s_withoutServers]);
    }

    public ValueTask DisposeAsync()
    {
        _folder.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<bool> TryAsync(string folder, params string[] arguments)
    {
        var result = await DotnetAsync(folder, arguments);
        _failed = result.Succeeded ? null : result;
        return result.Succeeded;
    }

    private static Task<ProgramResult> DotnetAsync(string folder, params string[] arguments) =>
        ExternalProgram.TryAsync(Dotnet(folder, arguments), patience: s_patience);

    private static ProcessStartInfo Dotnet(string folder, params string[] arguments) => new(DotnetHost.Path, arguments)
    {
        WorkingDirectory = folder,
        Environment = { ["DOTNET_NOLOGO"] = "1", ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1" },
    };

    // What is packed here goes into a cache of its own. What the machine has restored before is taken from where it lies.
    private void WriteSources()
    {
        var restored = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        Directory.CreateDirectory(Folder);
        Directory.CreateDirectory(restored);
        File.WriteAllText(PathOf("nuget.config"), $"""
            <configuration>
              <config>
                <add key="globalPackagesFolder" value="{_folder.PathOf("cache")}" />
              </config>
              <packageSources>
                <add key="packed" value="{_folder.PathOf("packages")}" />
              </packageSources>
              <fallbackPackageFolders>
                <add key="restored" value="{restored}" />
              </fallbackPackageFolders>
            </configuration>
            """);
    }
}
