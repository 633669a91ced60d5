using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>
/// The pages that <c>eng/site</c> gives to docfx. The browser's tests look at the site that docfx makes of them.
/// </summary>
public sealed partial class SitePagesTests : IDisposable
{
    private const string Sources = "https://numasharp.example/blob/v0";

    private readonly TemporaryFolder _folder = new();

    private string Site => _folder.PathOf("site");

    private IEnumerable<string> Pages => Directory.EnumerateFiles(Site, "*.md", SearchOption.AllDirectories);

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Contents_HaveEveryPageOnce()
    {
        await MakeAsync();

        // The front page is what the contents are made from.
        string[] pages = [.. Pages.Select(page => Path.GetRelativePath(Site, page)).Where(static page => page != "index.md")];
        Assert.Contains("guide/getting-started.md", pages);
        Assert.Equal(
            pages.Order(StringComparer.Ordinal),
            Address().Matches(await File.ReadAllTextAsync(Path.Combine(Site, "pages", "toc.yml")))
                .Select(static match => match.Groups["page"].Value)
                .Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Links_WithoutAnAddressOfSources_StayOnTheSite()
    {
        await MakeAsync();
        Assert.Empty(
            from page in Pages
            from link in PageLinks.Of(page)
            where !link.Contains(':', StringComparison.Ordinal)
            where !IsOfTheSite(page, link) || !PageLinks.LeadsSomewhere(page, link)
            select $"{Path.GetRelativePath(Site, page)}: {link}");
    }

    [Fact]
    public async Task Links_WithAnAddressOfSources_LeadThere()
    {
        await MakeAsync("--source-url", Sources);
        string[] links =
        [
            .. Pages.SelectMany(PageLinks.Of).Where(static link => link.StartsWith(Sources, StringComparison.Ordinal)),
        ];
        Assert.NotEmpty(links);
        Assert.All(links, static link => Assert.True(Path.Exists(Repository.PathOf(link[(Sources.Length + 1)..])), link));
    }

    private async Task MakeAsync(params string[] options)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "eng/site needs the tools of Linux.");
        ExternalProgram.SkipUnlessThere("bash");
        await ExternalProgram.RunAsync(Repository.PathOf("eng", "site"), [.. options, "pages", Site]);
    }

    private bool IsOfTheSite(string page, string link) =>
        link[0] == '#'
        || Path.GetFullPath(link, Path.GetDirectoryName(page)!).StartsWith($"{Site}/", StringComparison.Ordinal);

    [GeneratedRegex("^ *href: \\.\\./(?<page>.+)$", RegexOptions.Multiline | RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Address();
}
