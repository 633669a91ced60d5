using System.Diagnostics;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>The sources of what ships in a folder of their own, without a git repository, to be packed there.</summary>
internal sealed class SourceCopy : IDisposable
{
    /// <summary>An address as a release would have it.</summary>
    public const string ProjectUrl = "https://numasharp.invalid/project";

    // Of no release: an application's packages are never those of a feed.
    private const string VersionSuffix = "test.1";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    private static readonly string[] s_files =
    [
        ".editorconfig", "CHANGELOG.md", "Directory.Build.props", "Directory.Packages.props", "appsettings.schema.json",
        "docs/dashboards/numasharp-alerts.yml", "docs/dashboards/numasharp-grafana.json", "global.json",
    ];

    private static readonly string[] s_folders = ["analyzers", "eng", "hosting", "plugins", "src", "templates"];
    private static readonly string[] s_leftOut = ["bin", "obj"];

    private readonly TemporaryFolder _folder = new();

    /// <param name="name">The folder's name in a temporary one.</param>
    public SourceCopy(string name)
    {
        Root = _folder.PathOf(name);
        foreach (var file in s_files.Concat(s_folders.SelectMany(FilesOf)))
        {
            var copy = Path.Combine(Root, file);
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(Repository.PathOf(file), copy);
        }
    }

    public static string Version => $"{ShippingProjects.VersionPrefix}-{VersionSuffix}";

    public string Root { get; }

    /// <summary>The folder of the packages.</summary>
    public string Packages => _folder.PathOf("packages");

    /// <summary>Packs a project; skips the test if a package that its build needs is not available.</summary>
    public async Task PackAsync(string project)
    {
        var start = new ProcessStartInfo(
            DotnetHost.Path,
            [
                "pack", Path.Combine(Root, project), "-c", "Release", "-o", Packages, "--disable-build-servers",
                $"-p:VersionSuffix={VersionSuffix}", $"-p:PackageProjectUrl={ProjectUrl}", "-p:RunAnalyzers=false",
            ])
        {
            // The time of all files in the package, which would else be that of packing.
            Environment = { ["SOURCE_DATE_EPOCH"] = "1767225600" },
            WorkingDirectory = Root,
        };
        var result = await ExternalProgram.TryAsync(start, patience: s_patience);
        AheadOfTime.SkipIfAPackageIsMissing(result.Output);
        Assert.True(result.Succeeded, $"{project}: {result}");
    }

    /// <summary>The file of a package or, with <c>.snupkg</c>, of its symbols.</summary>
    public string PathOf(string id, string extension) => Path.Combine(Packages, $"{id}.{Version}{extension}");

    public void Dispose() => _folder.Dispose();

    private static IEnumerable<string> FilesOf(string folder) =>
        Directory.EnumerateFiles(Repository.PathOf(folder), "*", SearchOption.AllDirectories)
            .Select(static file => Path.GetRelativePath(Repository.Root, file))
            .Where(static file => !file.Split(Path.DirectorySeparatorChar).Intersect(s_leftOut).Any());
}
