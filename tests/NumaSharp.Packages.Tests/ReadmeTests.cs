using System.Xml.Linq;
using NumaSharp.Packages.Tests.Support;

namespace NumaSharp.Packages.Tests;

/// <summary>The README of each package, as it is in the repository, and the commands with which the docs install them.</summary>
public sealed class ReadmeTests
{
    // The last version of the packages of others that have two of these names.
    private static readonly Version s_taken = new(1, 0, 1);

    public static TheoryData<string> Projects => [.. ShippingProjects.All];

    // NuGet selects a preview only if it is asked to.
    private static string Option => ShippingProjects.VersionSuffix.Length > 0 ? " --prerelease" : "";

    [Fact]
    public void Version_IsAboveTheOneThatIsTaken() => Assert.True(
        Version.Parse(ShippingProjects.VersionPrefix) > s_taken, $"{ShippingProjects.VersionPrefix} is not above {s_taken}.");

    [Theory]
    [MemberData(nameof(Projects))]
    public void Readme_OfAProject_SaysWhatItIsAndHowToInstallIt(string project)
    {
        var id = ShippingProjects.IdOf(project);
        var readme = Repository.Read(project, "README.md");
        // dotnet new takes a preview if there is nothing else, and has no option for it.
        var command = id switch
        {
            ShippingProjects.Templates => $"dotnet new install {id}",
            ShippingProjects.Tool => $"dotnet tool install --global {id}{Option}",
            _ => $"dotnet add package {id}{Option}",
        };
        Assert.StartsWith($"# {id}\n", readme, StringComparison.Ordinal);
        Assert.Contains($"\n    {command}\n", readme, StringComparison.Ordinal);
    }

    // A package depends on exactly one version of the others. One with a version of its own would keep it at the next preview.
    [Theory]
    [MemberData(nameof(Projects))]
    public void Version_OfAProject_IsThatOfTheProductAsLongAsItIsAPreview(string project) => Assert.All(
        XDocument.Load(Repository.PathOf(project, $"{ShippingProjects.IdOf(project)}.csproj"))
            .Descendants()
            .Where(static property => property.Name.LocalName is "Version" or "VersionPrefix" or "VersionSuffix"),
        static property => Assert.Equal("'$(VersionSuffix)' == ''", property.Attribute("Condition")?.Value));

    // Packing replaces ../../ by the address of the sources, and would replace a backslash by a slash.
    [Theory]
    [MemberData(nameof(Projects))]
    public void Links_OfAReadme_LeadToFilesOfTheRepository(string project)
    {
        var readme = Repository.Read(project, "README.md");
        var links = Markdown.LinksOf(readme);
        Assert.NotEmpty(links);
        Assert.All(links, link =>
        {
            Assert.StartsWith("../../", link, StringComparison.Ordinal);
            Assert.True(File.Exists(Repository.PathOf(project, link.Split('#')[0])), $"{project}: {link}");
        });
        Assert.DoesNotContain('\\', readme);
    }

    [Theory]
    [InlineData("README.md", "\n    dotnet add package NumaSharp.Hosting")]
    [InlineData("docs/guide/getting-started.md", "\ndotnet add package NumaSharp.Hosting")]
    [InlineData("docs/guide/migrating.md", "\n    dotnet add package NumaSharp")]
    [InlineData("docs/guide/migrating.md", "\n    dotnet add package NumaSharp.Transport.Epoll")]
    [InlineData("docs/guide/tool.md", "\n    dotnet tool install --global NumaSharp.Tool")]
    public void Command_OfAPage_AsksForAPreviewAsLongAsThereIsNoRelease(string page, string command) =>
        Assert.Contains($"{command}{Option}\n", Repository.Read(page), StringComparison.Ordinal);

    // Which the tests of that package compile; it is not packed here.
    [Fact]
    public void Sample_OfTheAspirePackage_IsThatOfTheGuide()
    {
        var sample = Assert.Single(GuideSamples.In(Repository.Read("hosting", "NumaSharp.Aspire.Hosting", "README.md")));
        var guide = Repository.Read("docs", "guide", "aspire.md").Split('\n');
        Assert.All(
            sample.Split('\n', StringSplitOptions.RemoveEmptyEntries), line => Assert.Contains(line, guide));
    }
}
