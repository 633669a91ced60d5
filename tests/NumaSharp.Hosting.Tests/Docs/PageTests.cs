using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>The lists of pages are complete, and links lead somewhere.</summary>
public sealed partial class PageTests
{
    private const string Map = "README.md";

    private static readonly string s_docs = Repository.PathOf("docs");

    private static IEnumerable<string> Pages =>
        from file in Directory.EnumerateFiles(s_docs, "*.md", SearchOption.AllDirectories)
        select Path.GetRelativePath(s_docs, file).Replace(Path.DirectorySeparatorChar, '/');

    private static IEnumerable<string> Decisions =>
        from page in Pages.Order(StringComparer.Ordinal)
        where DecisionPage().IsMatch(page)
        select page[(page.IndexOf('/', StringComparison.Ordinal) + 1)..];

    [Fact]
    public void Decisions_OfTheIndex_AreThePages()
    {
        var rows = DecisionRow().Matches(Repository.Read("docs", "decisions", Map));
        Assert.Equal(
            Decisions.Select(static file => (HeadingOf(file), file)),
            rows.Select(static row => (
                $"# {row.Groups["number"].Value}. {row.Groups["title"].Value}", row.Groups["file"].Value)));
        Assert.All(rows, static row => Assert.Equal(
            TextOf(row.Groups["file"].Value).Contains("**Since then**", StringComparison.Ordinal),
            row.Groups["state"].Value == "in force, changed since"));
    }

    [Fact]
    public void Decisions_OfTheirPages_HaveTheNumbersOfTheFiles() => Assert.All(
        Decisions,
        static file => Assert.StartsWith(
            $"# {int.Parse(file[..4], CultureInfo.InvariantCulture)}. ", HeadingOf(file), StringComparison.Ordinal));

    [Fact]
    public void Map_ListsEveryPageOnce() => Assert.Equal(
        Pages.Where(static page => page != Map && !DecisionPage().IsMatch(page)).Order(StringComparer.Ordinal),
        PageLinks.Of(Path.Combine(s_docs, Map)).Order(StringComparer.Ordinal));

    // Links to other hosts are not followed: tests do not depend on a network.
    [Fact]
    public void Links_WithinTheRepository_LeadSomewhere() => Assert.Empty(
        from file in Repository.MarkdownFiles
        from link in PageLinks.Of(file)
        where !link.Contains(':', StringComparison.Ordinal) && !PageLinks.LeadsSomewhere(file, link)
        select $"{Path.GetRelativePath(Repository.Root, file)}: {link}");

    private static string TextOf(string decision) => Repository.Read("docs", "decisions", decision);

    private static string HeadingOf(string decision) => TextOf(decision).Split('\n')[0];

    [GeneratedRegex(@"^decisions/\d{4}-[a-z0-9-]+\.md$", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex DecisionPage();

    [GeneratedRegex(
        @"^\| (?<number>\d+) \| \[(?<title>.+)\]\((?<file>[a-z0-9-]+\.md)\) \| "
        + @"(?<state>in force(, changed since)?|(in force, (changed|extended)|replaced) by \[\d+\]\([a-z0-9-]+\.md\)) \|$",
        RegexOptions.Multiline | RegexOptions.ExplicitCapture,
        Timeout.Infinite)]
    private static partial Regex DecisionRow();
}
