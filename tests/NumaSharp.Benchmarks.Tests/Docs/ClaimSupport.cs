using System.Text.RegularExpressions;

namespace NumaSharp.Benchmarks.Tests.Docs;

/// <summary>What stands beside a claim to support it.</summary>
internal static partial class ClaimSupport
{
    /// <summary>
    /// Whether its paragraph, list item or table row names a row in a link, or links to a page of a decision or of the playground
    /// that has the same figure.
    /// </summary>
    /// <param name="claim">The claim.</param>
    /// <param name="folder">The folder of the page that has it.</param>
    public static bool IsSupported(this MeasuredClaim claim, string folder) =>
        RowsIn(claim.Block).Any()
        || PageLink().Matches(claim.Block)
            .Select(link => Path.Combine(folder, link.Groups["page"].Value))
            .Any(file => File.Exists(file) && HasFigure(Space().Replace(File.ReadAllText(file), " "), claim.Figure));

    /// <summary>The rows that links name, as in <c>[`ping cpu`](benchmarks.md#rows-of-http)</c>.</summary>
    public static IEnumerable<(string Kind, string Name)> RowsIn(string text) =>
        from link in RowLink().Matches(text)
        from name in Name().Matches(link.Groups["names"].Value)
        select (link.Groups["kind"].Value, Space().Replace(name.Groups["name"].Value, " "));

    // Not the end of a longer number. A comparison has no figure.
    private static bool HasFigure(string text, string figure) =>
        Regex.IsMatch(text, $@"(?<![\d.,]){Regex.Escape(figure)}", RegexOptions.None, Timeout.InfiniteTimeSpan);

    [GeneratedRegex(
        @"\[(?<names>[^\][]*)\]\((?:[^)#]*/)?benchmarks\.md#rows-of-(?<kind>\w+)\)",
        RegexOptions.None,
        Timeout.Infinite)]
    private static partial Regex RowLink();

    [GeneratedRegex("`(?<name>[^`]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Name();

    [GeneratedRegex(@"\]\((?<page>(?:[^)#]*/)?(?:decisions|playground)/[^)#]*\.md)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex PageLink();

    [GeneratedRegex(@"\s+", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Space();
}
