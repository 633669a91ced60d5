using System.Diagnostics;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>The sources of what ships in a folder of their own, to be packed there as a release is.</summary>
internal sealed class SourceCopy : IDisposable
{
    /// <summary>An address as a release would have it.</summary>
    public const string ProjectUrl = "https://numasharp.invalid/project";

    /// <summary>The commit that the sources are said to be.</summary>
    public const string Commit = "0123456789abcdef0123456789abcdef01234567";

    /// <summary>Where a debugger gets the sources of that commit.</summary>
    public const string CommitUrl = $"https://raw.githubusercontent.com/numasharp-invalid/project/{Commit}/";

    private const string Remote = "https://github.com/numasharp-invalid/project.git";

    // Of no release: an application's packages are never those of a feed.
    private const string VersionSuffix = "test.1";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(10);

    private static readonly string[] s_files =
    [
        ".editorconfig", ".gitignore", "CHANGELOG.md", "Directory.Build.props", "Directory.Packages.props",
        "appsettings.schema.json", "docs/dashboards/numasharp-alerts.yml", "docs/dashboards/numasharp-grafana.json",
        "global.json",
    ];

    private static readonly string[] s_folders = ["analyzers", "eng", "hosting", "plugins", "src", "templates"];
    private static readonly string[] s_leftOut = ["bin", "obj"];

    private readonly TemporaryFolder _folder = new();

    /// <param name="name">The folder's name in a temporary one.</param>
    /// <param name="isRepository">Whether the build finds a git repository there.</param>
    public SourceCopy(string name, bool isRepository = true)
    {
        Root = _folder.PathOf(name);
        foreach (var file in s_files.Concat(s_folders.SelectMany(FilesOf)))
        {
            File.Copy(Repository.PathOf(file), MakeFolderOf(file));
        }

        if (isRepository)
        {
            MakeRepository();
        }
    }

    public static string Version => $"{ShippingProjects.VersionPrefix}-{VersionSuffix}";

    public string Root { get; }

    /// <summary>The folder of the packages.</summary>
    public string Packages => _folder.PathOf("packages");

    /// <summary>Packs a project by <c>eng/pack</c>; skips the test if a package that its build needs is not available.</summary>
    public async Task PackAsync(string project)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "eng/pack needs the tools of Linux.");
        ExternalProgram.SkipUnlessThere("bash");
        var start = new ProcessStartInfo(
            "bash",
            [
                Path.Combine(Root, "eng", "pack"), "--output", Packages, project, "--",
                $"-p:VersionSuffix={VersionSuffix}", $"-p:PackageProjectUrl={ProjectUrl}", "-p:RunAnalyzers=false",
            ])
        {
            // By default it is the time of the commit, which is none of git's here.
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

    // As much of a git repository as the build reads: the commit and where it comes from. So no test needs git, and the commit is
    // the same each time.
    private void MakeRepository()
    {
        File.WriteAllText(MakeFolderOf(".git/HEAD"), "ref: refs/heads/main\n");
        File.WriteAllText(MakeFolderOf(".git/refs/heads/main"), $"{Commit}\n");
        File.WriteAllText(
            MakeFolderOf(".git/config"),
            $"[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = {Remote}\n");
        Directory.CreateDirectory(Path.Combine(Root, ".git", "objects"));
    }

    private string MakeFolderOf(string file)
    {
        var copy = Path.Combine(Root, file);
        Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
        return copy;
    }

    private static IEnumerable<string> FilesOf(string folder) =>
        Directory.EnumerateFiles(Repository.PathOf(folder), "*", SearchOption.AllDirectories)
            .Select(static file => Path.GetRelativePath(Repository.Root, file))
            .Where(static file => !file.Split(Path.DirectorySeparatorChar).Intersect(s_leftOut).Any());
}
