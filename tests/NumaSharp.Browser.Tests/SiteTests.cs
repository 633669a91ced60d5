using System.Text.RegularExpressions;
using Microsoft.Playwright;

namespace NumaSharp.Browser.Tests;

/// <summary>The documentation as <c>eng/site</c> builds it, in a real browser.</summary>
[Trait("tier", "deep")]
public sealed partial class SiteTests(ChromiumFixture chromium, SiteServer site) : IClassFixture<SiteServer>
{
    // Its packages are not on every mirror, and where they are missing the site has no API of it.
    private const string Aspire = "NumaSharp.Aspire.Hosting";

    private static readonly string[] s_shipping = ["src", "hosting", "plugins"];

    // A program has no API.
    private static IEnumerable<string> Packages =>
        from folder in s_shipping
        from file in Directory.EnumerateFiles(Repository.PathOf(folder), "*.csproj", SearchOption.AllDirectories)
        where !File.ReadAllText(file).Contains("<OutputType>Exe<", StringComparison.Ordinal)
        select Path.GetFileNameWithoutExtension(file);

    // Each package's pages of namespaces and types, by their full names.
    private Dictionary<string, string[]> ApiPages => (
        from page in site.Pages
        let parts = page.Split('/')
        where parts is ["api", _, not "toc.html"]
        group Path.GetFileNameWithoutExtension(page) by parts[1]).ToDictionary(
            static package => package.Key,
            static package => package.Order(StringComparer.Ordinal).ToArray(),
            StringComparer.Ordinal);

    [Fact]
    public async Task FrontPage_HasTheMapAndASearchThatFinds()
    {
        await using var open = await SitePage.OpenAsync(chromium.Browser, site.Address, "");
        var page = open.Page;
        await Assertions.Expect(page.Locator("article h1")).ToHaveTextAsync("Documentation");
        await Assertions.Expect(page.Locator("article a[href='guide/getting-started.html']")).ToHaveCountAsync(1);
        await Assertions.Expect(page.Locator("#navbar a").Filter(new() { HasText = "API" })).ToHaveCountAsync(1);

        var search = page.Locator("#search-query");
        await Assertions.Expect(search).ToBeEnabledAsync();
        await search.FillAsync("datagrams");
        await Assertions.Expect(page.Locator("#search-results .sr-item").First).ToBeVisibleAsync();
    }

    [Fact]
    public async Task Guide_HasItsHeadingAndThePagesBesideIt()
    {
        await using var open = await SitePage.OpenAsync(chromium.Browser, site.Address, "guide/transport.html");
        await Assertions.Expect(open.Page.Locator("article h1")).ToHaveCountAsync(1);
        await Assertions.Expect(open.Page.Locator("#toc a[href$='/guide/udp.html']")).ToBeVisibleAsync();
        await Assertions.Expect(open.Page.Locator("article pre code.lang-json").First).ToBeVisibleAsync();
    }

    [Fact]
    public async Task Architecture_HasItsPicture()
    {
        await using var open = await SitePage.OpenAsync(chromium.Browser, site.Address, "architecture.html");
        await Assertions.Expect(open.Page.Locator("article .mermaid svg")).ToHaveCountAsync(1);
    }

    // For people, in artifacts/screenshots.
    [Theory]
    [InlineData("index", ColorScheme.Light)]
    [InlineData("guide/transport", ColorScheme.Dark)]
    [InlineData("api/NumaSharp/NumaSharp.Core.CpuSet", ColorScheme.Light)]
    public async Task Page_IsTaken(string page, ColorScheme scheme)
    {
        await using var open = await SitePage.OpenAsync(
            chromium.Browser, site.Address, $"{page}.html", new() { ColorScheme = scheme });
        var path = Repository.PathOf("artifacts", "screenshots", $"site-{page.Replace('/', '-')}-{scheme}.png");
        await open.Page.ScreenshotAsync(new() { Path = path });
        Assert.InRange(new FileInfo(path).Length, 10_000, 5_000_000);
    }

    [Fact]
    public async Task Api_OfEachPackage_IsShown()
    {
        foreach (var (package, pages) in ApiPages)
        {
            // The last one is a type: its name begins with that of its namespace.
            await using var open = await SitePage.OpenAsync(chromium.Browser, site.Address, $"api/{package}/{pages[^1]}.html");
            await Assertions.Expect(open.Page.Locator("body[data-yaml-mime='ManagedReference'] article h1").First)
                .ToBeVisibleAsync();
            await Assertions.Expect(open.Page.Locator("#toc a").Filter(new() { HasText = package }).First).ToBeVisibleAsync();
        }
    }

    [Fact]
    public void Api_OfThePackages_IsOfAllOfThem() => Assert.Equal(
        Packages.Where(static package => package != Aspire).Order(StringComparer.Ordinal),
        ApiPages.Keys.Where(static package => package != Aspire).Order(StringComparer.Ordinal));

    [Fact]
    public void Api_OfEachPackage_HasItsPublicTypes() => Assert.All(ApiPages, static package =>
    {
        string[] types =
        [
            .. PublicType().Matches(Repository.Read("tests", $"{package.Key}.Tests", "PublicApi.txt"))
                .Select(static type => TypeParameter().Replace(type.Groups["name"].Value, "-1")),
        ];
        Assert.NotEmpty(types);
        Assert.Empty(types.Except(package.Value));

        // What has a page besides is a namespace, and not a type that is internal.
        Assert.All(package.Value.Except(types), space => Assert.Contains(
            types, type => type.StartsWith($"{space}.", StringComparison.Ordinal)));
    });

    // docfx warns of anchors that are missing, and eng/site takes warnings for errors.
    [Fact]
    public void Links_OfEveryPage_LeadToAFileOfTheSite() => Assert.Empty(
        from page in site.Pages
        let address = new Uri(site.Address, page)
        from match in Link().Matches(File.ReadAllText(SiteServer.PathOf(page)))
        let target = new Uri(address, match.Groups["target"].Value)
        where target.Authority == address.Authority && !IsServed(target)
        select $"{page}: {match.Groups["target"].Value}");

    private static bool IsServed(Uri target)
    {
        var path = Uri.UnescapeDataString(target.AbsolutePath).TrimStart('/');
        return File.Exists(SiteServer.PathOf(path.Length == 0 || path[^1] == '/' ? $"{path}index.html" : path));
    }

    // Members are further in.
    [GeneratedRegex(
        "^([a-z]+ )+(?<name>[A-Za-z0-9_.]+(<[^>]+>)?)", RegexOptions.Multiline | RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex PublicType();

    [GeneratedRegex("<[^>,]+>$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex TypeParameter();

    [GeneratedRegex("(href|src)=\"(?<target>[^\"]*)\"", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Link();
}
