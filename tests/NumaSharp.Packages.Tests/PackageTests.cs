using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Text;
using NumaSharp.Packages.Tests.Support;

namespace NumaSharp.Packages.Tests;

/// <summary>What each package says of itself and has in it.</summary>
[Trait("tier", "deep")]
public sealed class PackageTests(PackedPackages packages)
{
    /// <summary>Where the sources are in every package (eng/NoPaths.props).</summary>
    internal const string SourceRoot = "/_/";

    private static readonly byte[] s_pngSignature = [0x89, (byte)'P', (byte)'N', (byte)'G'];

    public static TheoryData<string> Ids => [.. ShippingProjects.Packed.Select(ShippingProjects.IdOf)];

    public static TheoryData<string> Libraries => [.. ShippingProjects.Libraries.Select(ShippingProjects.IdOf)];

    public static TheoryData<string> IdsWithAssemblies =>
        [.. Libraries.Select(static library => library.Data), ShippingProjects.Tool];

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task Metadata_OfAPackage_IsComplete(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));

        Assert.Equal((id, SourceCopy.Version), (package.TextOf("id"), package.TextOf("version")));
        Assert.Equal(("MIT", "expression"), (package.TextOf("license"), package.AttributeOf("license", "type")));
        Assert.Contains("NumaSharp", package.TextOf("copyright"), StringComparison.Ordinal);
        Assert.NotEmpty(package.TextOf("description"));
        Assert.Contains("numa", package.TextOf("tags").Split(' '));
        Assert.Equal(SourceCopy.ProjectUrl, package.TextOf("projectUrl"));
        Assert.Equal(SourceCopy.ProjectUrl, package.AttributeOf("repository", "url"));
        Assert.Equal("git", package.AttributeOf("repository", "type"));
        Assert.Equal(SourceCopy.Commit, package.AttributeOf("repository", "commit"));
        Assert.Equal("icon.png", package.TextOf("icon"));
        Assert.Equal(s_pngSignature, package.Read("icon.png")[..4]);
    }

    // NuGet writes a range of one version in one of two ways.
    [Theory]
    [MemberData(nameof(Ids))]
    public async Task Dependencies_OnOtherPackagesOfTheProduct_AreOnExactlyThisVersion(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));

        // A tool brings what it runs, and a template's project is a file.
        var needsNone = id is "NumaSharp" or ShippingProjects.Tool or ShippingProjects.Templates;
        Assert.Equal(needsNone, package.OwnDependencies.Count == 0);
        string[] exact = [$"[{SourceCopy.Version}]", $"[{SourceCopy.Version}, {SourceCopy.Version}]"];
        Assert.All(package.OwnDependencies, one => Assert.Contains(one.Versions, exact));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task Readme_OfAPackage_IsThatOfItsProjectWithLinksThatWorkAnywhere(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));

        Assert.Equal("README.md", package.TextOf("readme"));
        var project = ShippingProjects.Packed.Single(folder => ShippingProjects.IdOf(folder) == id);
        var links = $"{SourceCopy.ProjectUrl}/blob/v{SourceCopy.Version}/";
        Assert.Equal(
            Repository.Read(project, "README.md").Replace("../../", links, StringComparison.Ordinal).TrimEnd(),
            package.ReadText("README.md").TrimEnd());
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task ReleaseNotes_OfAPackage_AreWhatTheChangelogSaysFirst(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));

        var changelog = Repository.Read("CHANGELOG.md");
        var latest = changelog[(changelog.IndexOf("\n## ", StringComparison.Ordinal) + 4)..];
        var summary = latest[..latest.IndexOf("\n### ", StringComparison.Ordinal)].Trim();
        Assert.Equal(
            $"{summary}\n\nAll changes: {SourceCopy.ProjectUrl}/blob/v{SourceCopy.Version}/CHANGELOG.md",
            package.TextOf("releaseNotes").ReplaceLineEndings("\n"));
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task Files_OfALibrary_AreAssemblyDocumentsAndSymbols(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));
        using var symbols = new PackageFile(sources.PathOf(id, ".snupkg"));

        Assert.Equal(
            [$"lib/net10.0/{id}.dll", $"lib/net10.0/{id}.xml"],
            package.Entries.Where(static entry => entry.StartsWith("lib/", StringComparison.Ordinal)).Order());
        Assert.Contains("<member name=", package.ReadText($"lib/net10.0/{id}.xml"), StringComparison.Ordinal);
        Assert.Equal(
            [$"lib/net10.0/{id}.pdb"],
            symbols.Entries.Where(static entry => entry.StartsWith("lib/", StringComparison.Ordinal)));
    }

    // The tool has no package of symbols: they are with its assemblies.
    [Theory]
    [MemberData(nameof(IdsWithAssemblies))]
    public async Task Assemblies_OfAPackage_HaveNoPathOfTheMachine(string id)
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf(id, ".nupkg"));
        AssertNoPaths(sources.Root, package, isWithAssemblies: true);
        if (id != ShippingProjects.Tool)
        {
            using var symbols = new PackageFile(sources.PathOf(id, ".snupkg"));
            AssertNoPaths(sources.Root, symbols, isWithAssemblies: false);
        }
    }

    // As from an archive of the sources.
    [Fact]
    public async Task Assemblies_PackedWithoutAGitRepository_HaveNoPathOfTheMachine()
    {
        using var sources = new SourceCopy("archive", isRepository: false);
        await sources.PackAsync("src/NumaSharp");
        using var package = new PackageFile(sources.PathOf("NumaSharp", ".nupkg"));
        using var symbols = new PackageFile(sources.PathOf("NumaSharp", ".snupkg"));
        AssertNoPaths(sources.Root, package, isWithAssemblies: true);
        AssertNoPaths(sources.Root, symbols, isWithAssemblies: false);
    }

    [Fact]
    public async Task Schema_OfTheHost_IsForEveryProjectThatHasThePackage()
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf("NumaSharp.Hosting", ".nupkg"));
        Assert.Equal(Repository.Read("appsettings.schema.json"), package.ReadText("appsettings.schema.json"));
        Assert.All(
            (string[])["build", "buildTransitive"],
            folder => Assert.Contains(
                "<JsonSchemaSegment Include=\"$(MSBuildThisFileDirectory)../appsettings.schema.json\"",
                package.ReadText($"{folder}/NumaSharp.Hosting.targets"),
                StringComparison.Ordinal));
    }

    // An editor opens a rule's page only if its address is absolute. RuleTests has the rest of the links.
    [Fact]
    public async Task HelpLinks_OfTheAnalyzers_LeadToTheSourcesOfTheVersion()
    {
        var sources = await packages.GetAsync();
        using var package = new PackageFile(sources.PathOf("NumaSharp", ".nupkg"));
        var link = Encoding.UTF8.GetBytes($"{SourceCopy.ProjectUrl}/blob/v{SourceCopy.Version}/");
        Assert.NotEqual(-1, package.Read("analyzers/dotnet/cs/NumaSharp.Analyzers.dll").AsSpan().IndexOf(link));
    }

    private static void AssertNoPaths(string root, PackageFile package, bool isWithAssemblies)
    {
        var files = package.Entries
            .Where(static entry => Path.GetFileName(entry).StartsWith("NumaSharp", StringComparison.Ordinal))
            .ToLookup(static entry => Path.GetExtension(entry));
        Assert.Equal(isWithAssemblies, files.Contains(".dll"));
        Assert.All(files[".dll"], entry => AssertAssembly(root, package.Read(entry)));
        Assert.All(files[".pdb"], entry => AssertSymbols(package.Read(entry)));
    }

    private static void AssertAssembly(string root, byte[] assembly)
    {
        Assert.Equal(-1, assembly.AsSpan().IndexOf(Encoding.UTF8.GetBytes(root)));
        Assert.Equal(-1, assembly.AsSpan().IndexOf(Encoding.Unicode.GetBytes(root)));
        // To which a build for tests shows its internals, as to the tests themselves.
        Assert.Equal(-1, assembly.AsSpan().IndexOf("DynamicProxyGenAssembly2"u8));
        using var image = new PEReader(new MemoryStream(assembly, writable: false));
        var entries = image.ReadDebugDirectory();
        Assert.Contains(entries, static entry => entry.Type == DebugDirectoryEntryType.Reproducible);
        var symbols = entries.Single(static entry => entry.Type == DebugDirectoryEntryType.CodeView);
        Assert.StartsWith(SourceRoot, image.ReadCodeViewDebugDirectoryData(symbols).Path, StringComparison.Ordinal);
    }

    private static void AssertSymbols(byte[] symbols)
    {
        using var provider = MetadataReaderProvider.FromPortablePdbStream(new MemoryStream(symbols, writable: false));
        var reader = provider.GetMetadataReader();
        string[] documents = [.. reader.Documents.Select(handle => reader.GetString(reader.GetDocument(handle).Name))];
        Assert.Contains(documents, static document => document.StartsWith(SourceRoot, StringComparison.Ordinal));
        Assert.DoesNotContain(
            documents,
            static document => Path.IsPathRooted(document) && !document.StartsWith(SourceRoot, StringComparison.Ordinal));
    }
}
