using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>docs/architecture.md names what there is.</summary>
public sealed partial class ArchitecturePageTests
{
    private static readonly string[] s_shipping = ["src", "hosting", "plugins"];
    private static readonly string[] s_leftOut = ["bin", "obj"];

    private static readonly string s_page = Repository.Read("docs", "architecture.md");

    // Folders with sources of their own: one that only has others needs no row.
    private static IEnumerable<string> Folders =>
        from folder in s_shipping
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.cs", SearchOption.AllDirectories)
        let path = Path.GetRelativePath(Repository.Root, Path.GetDirectoryName(file)!)
        where !path.Split(Path.DirectorySeparatorChar).Intersect(s_leftOut).Any()
        select path.Replace(Path.DirectorySeparatorChar, '/');

    [Fact]
    public void Folders_AreThoseOfTheRepository() => Assert.Equal(
        Folders.Distinct().Order(StringComparer.Ordinal),
        Folder().Matches(s_page).Select(static match => match.Groups[1].Value).Order(StringComparer.Ordinal));

    [Fact]
    public void LinkedFiles_AreThere()
    {
        var links = Link().Matches(s_page).Select(static match => match.Groups[1].Value).ToArray();
        Assert.NotEmpty(links);
        Assert.All(links, static link => Assert.True(File.Exists(Repository.PathOf(link)), link));
    }

    // In the table of folders, each once.
    [GeneratedRegex("`((?:src|hosting|plugins)/[^`]+)`", RegexOptions.None, 1000)]
    private static partial Regex Folder();

    [GeneratedRegex(@"\]\(\.\./((?:src|hosting|plugins)/[^)#]+)\)", RegexOptions.None, 1000)]
    private static partial Regex Link();
}
