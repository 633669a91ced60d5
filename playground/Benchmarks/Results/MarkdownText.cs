using System.Buffers;
using System.Text;

namespace NumaSharp.Playground.Benchmarks.Results;

/// <summary>Text from outside in Markdown: on one line, and without a meaning of its own.</summary>
internal static class MarkdownText
{
    private static readonly SearchValues<char> s_special = SearchValues.Create(@"\`*_[]<>|&~#");

    /// <summary>In a paragraph, a list item or a table's cell.</summary>
    public static string Plain(string text)
    {
        var plain = new StringBuilder();
        foreach (var character in OneLine(text))
        {
            if (s_special.Contains(character))
            {
                plain.Append('\\');
            }

            plain.Append(character);
        }

        return plain.ToString();
    }

    /// <summary>As code. In a table's cell, a bar is escaped even there.</summary>
    public static string Code(string text)
    {
        var code = OneLine(text).Replace("|", @"\|", StringComparison.Ordinal);
        if (!code.Contains('`', StringComparison.Ordinal))
        {
            return $"`{code}`";
        }

        // More backquotes around it than it has in a row.
        var fence = new string('`', LongestRow(code) + 1);
        return $"{fence} {code} {fence}";
    }

    private static string OneLine(string text) => text.ReplaceLineEndings(" ");

    private static int LongestRow(string code)
    {
        var (longest, current) = (0, 0);
        foreach (var character in code)
        {
            current = character == '`' ? current + 1 : 0;
            longest = Math.Max(longest, current);
        }

        return longest;
    }
}
