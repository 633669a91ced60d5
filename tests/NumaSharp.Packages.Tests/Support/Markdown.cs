using System.Text.RegularExpressions;

namespace NumaSharp.Packages.Tests.Support;

/// <summary>Parts of a page.</summary>
internal static partial class Markdown
{
    /// <summary>Where its links lead.</summary>
    public static IReadOnlyList<string> LinksOf(string page) =>
        [.. Link().Matches(page).Select(static match => match.Groups["target"].Value)];

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex Link();
}
