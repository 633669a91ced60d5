using System.Text.RegularExpressions;

namespace NumaSharp.Hosting.Tests.Docs;

/// <summary>The links of a page in Markdown.</summary>
internal static partial class PageLinks
{
    /// <summary>Where they lead, as they are written; those of code are none.</summary>
    public static IEnumerable<string> Of(string file) =>
        Link().Matches(Fence().Replace(File.ReadAllText(file), "")).Select(static match => match.Groups["target"].Value);

    /// <summary>Whether a link leads to a file or folder, seen from the page, and to a heading of it if it names one.</summary>
    public static bool LeadsSomewhere(string file, string link)
    {
        var hash = link.IndexOf('#', StringComparison.Ordinal);
        var (path, anchor) = hash < 0 ? (link, null) : (link[..hash], link[(hash + 1)..]);
        var target = path.Length == 0 ? file : Path.GetFullPath(path, Path.GetDirectoryName(file)!);
        return anchor is null
            ? Path.Exists(target)
            : File.Exists(target) && Heading().Matches(File.ReadAllText(target)).Any(match => AnchorOf(match) == anchor);
    }

    // As GitHub makes them.
    private static string AnchorOf(Match heading) =>
        NotInAnchor().Replace(heading.Groups["text"].Value.ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Link();

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline, Timeout.Infinite)]
    private static partial Regex Fence();

    [GeneratedRegex("^#+ (?<text>.+)$", RegexOptions.Multiline | RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex NotInAnchor();
}
