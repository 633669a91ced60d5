using System.Text.RegularExpressions;

namespace NumaSharp.Benchmarks.Tests.Docs;

/// <summary>A measured figure on a page, or a comparison.</summary>
/// <param name="Line">Where its paragraph, list item or table row begins.</param>
/// <param name="Words">What makes it one.</param>
/// <param name="Figure">Its number and unit; empty for a comparison without one.</param>
/// <param name="Block">That paragraph, item or row, on one line, with its links.</param>
internal sealed record MeasuredClaim(int Line, string Words, string Figure, string Block);

/// <summary>
/// Finds measured figures and comparisons in the prose of a page. What a setting may be, or is by default, is not measured: such
/// values stand in code, or in a table row that begins with the code of a setting, an option or an alert; and sizes and whole
/// seconds count only where something takes or costs them.
/// </summary>
internal static partial class MeasuredClaims
{
    public static IEnumerable<MeasuredClaim> Find(string page) =>
        from block in Blocks(page)
        let prose = LinkTarget().Replace(InlineCode().Replace(block.Text, "`"), "]")
        let sought = RowOfASetting().IsMatch(block.Text)
            ? new[] { Comparison(), Expense() }
            : [Comparison(), Expense(), Quantity(), Ratio()]
        from kind in sought
        from match in kind.Matches(prose)
        select new MeasuredClaim(block.Line, match.Value, match.Groups["figure"].Value, block.Text);

    // Paragraphs, list items and rows of tables. Code, headings and comments are left out.
    private static List<(int Line, string Text)> Blocks(string page)
    {
        var blocks = new List<(int Line, string Text)>();
        var (isCode, isOpen) = (false, false);
        foreach (var (index, line) in page.Split('\n').Index())
        {
            var text = line.Trim();
            var isFence = text.StartsWith("```", StringComparison.Ordinal);
            isCode ^= isFence;
            if (isCode || isFence || (!isOpen && line.StartsWith("    ", StringComparison.Ordinal)) || NoProse().IsMatch(text))
            {
                isOpen = false;
                continue;
            }

            if (isOpen && !Beginning().IsMatch(text))
            {
                blocks[^1] = (blocks[^1].Line, $"{blocks[^1].Text} {text}");
                continue;
            }

            blocks.Add((index + 1, text));
            isOpen = text[0] != '|';
        }

        return blocks;
    }

    [GeneratedRegex("^$|^#|^<!--", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex NoProse();

    [GeneratedRegex(@"^\||^[-*] |^\d+\. ", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Beginning();

    [GeneratedRegex("`[^`]*`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex InlineCode();

    [GeneratedRegex(@"\]\([^)]*\)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex LinkTarget();

    // One word, or an option with its value; the name of a benchmark's row has several words.
    [GeneratedRegex(@"^\| `(?:-[^`]*|[^` ]+)`", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex RowOfASetting();

    // Settings are in MiB, and in ms as code.
    [GeneratedRegex(
        @"\b(?<figure>\d[\d.,]* ?(?:%|per ?cent\b|(?:ns|us|µs|ms|MB)\b))"
        + @"|\b(?<figure>(?:\d[\d.,]*|few|some|several|(?:tens|hundreds) of|half an?) (?:nano|micro|milli)seconds?)\b"
        + @"|\b(?<figure>half a per ?cent)\b",
        RegexOptions.IgnoreCase,
        Timeout.Infinite)]
    private static partial Regex Quantity();

    // Two decimals, and no part of a version, an address or a path.
    [GeneratedRegex(@"(?<![\w./:-])(?<figure>[01]\.\d\d)(?!\w|\.\d)", RegexOptions.None, Timeout.Infinite)]
    private static partial Regex Ratio();

    [GeneratedRegex(
        @"\b(?:takes?|took|costs?|lasts)\b[^.;:|]{0,40}?(?<figure>\b\d[\d.,]* ?(?:s|seconds?|minutes?|hours?|[KMG]?i?B|bytes)\b)",
        RegexOptions.None,
        Timeout.Infinite)]
    private static partial Regex Expense();

    [GeneratedRegex(
        @"\b(?:faster|slower|cheaper) than\b"
        + @"|\btimes (?:as|faster|slower|cheaper|less|more|longer|shorter|larger|smaller)\b"
        + @"|\btwice (?:as (?:fast|much)|the (?:CPU|memory|time|cost|rate))\b"
        + @"|\b(?:half|thirds?|quarters?|fifths?) (?:of )?(?:the |that )?(?:CPU|memory|time|cost)\b"
        + @"|\b(?:less|fewer|lower|higher) (?:CPU|latency|overhead|cost)\b"
        + @"|\bcosts? (?:nothing|less|more|about|hardly)\b"
        + @"|\bno (?:overhead|cost)\b",
        RegexOptions.IgnoreCase,
        Timeout.Infinite)]
    private static partial Regex Comparison();
}
