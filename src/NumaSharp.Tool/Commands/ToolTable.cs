using System.Globalization;
using System.Text.RegularExpressions;
using NumaSharp.Core;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace NumaSharp.Tool.Commands;

/// <summary>A table; on a screen too narrow for it, one paragraph per row, because truncated words are useless.</summary>
internal sealed class ToolTable(params string[] headings)
{
    private const int Indent = 2;

    private readonly List<string[]> _rows = [];

    public void AddRow(params string[] cells) => _rows.Add(cells);

    public void Write(IAnsiConsole screen)
    {
        var table = new Table { Border = Borders.OfTable(screen.Profile) }.AddColumns(headings);
        foreach (var row in _rows)
        {
            table.AddRow(row.Select(static cell => new Text(cell)));
        }

        var size = ((IRenderable)table).Measure(RenderOptions.Create(screen), int.MaxValue);
        var isNarrow = screen.Profile.Width < ToolConsole.UsualWidth;
        if ((isNarrow ? size.Max : size.Min) <= screen.Profile.Width)
        {
            screen.Write(table);
        }
        else
        {
            WriteParagraphs(screen);
        }
    }

    /// <summary>The same as a table of GitHub's Markdown.</summary>
    public void WriteMarkdown(TextWriter output)
    {
        output.WriteLine(Row(headings));
        output.WriteLine(Row(headings.Select(static _ => "---")));
        foreach (var row in _rows)
        {
            output.WriteLine(Row(row.Select(ToolText.MarkdownCell)));
        }

        static string Row(IEnumerable<string> cells) => $"| {string.Join(" | ", cells)} |";
    }

    // The first column names the row; cells of several lines are lists.
    private void WriteParagraphs(IAnsiConsole screen)
    {
        foreach (var row in _rows)
        {
            screen.Write(new Text($"{headings[0]} {row[0]}"));
            screen.WriteLine();
            foreach (var (heading, cell) in headings.Zip(row).Skip(1).Where(static pair => pair.Second.Length > 0))
            {
                var text = new Text($"{heading}: {cell.Replace("\n", "; ", StringComparison.Ordinal)}");
                screen.Write(new Padder(text, new Padding(Indent, 0, 0, 0)));
            }
        }
    }
}

/// <summary>Text for a terminal, and for a shell.</summary>
internal static partial class ToolText
{
    /// <summary>
    /// Replaces what is no visible character: a file's content must not forge lines, move the cursor or reorder what is shown.
    /// </summary>
    public static string OneLine(string text) => string.Create(text.Length, text, static (span, source) =>
    {
        for (var i = 0; i < span.Length; i++)
        {
            span[i] = IsVisible(source[i]) ? source[i] : ' ';
        }
    });

    /// <summary>
    /// A line that is nothing but text in Markdown: a span of code, in which sites make no links, names or formulas of it.
    /// </summary>
    public static string Markdown(string line)
    {
        var text = OneLine(line);
        if (text.Length == 0)
        {
            return "";
        }

        // Longer than any run of them in the text; the spaces are not part of it.
        var fence = new string('`', 1 + Backticks().Matches(text).Select(static run => run.Length).DefaultIfEmpty().Max());
        return fence.Length == 1 ? $"`{text}`" : $"{fence} {text} {fence}";
    }

    /// <summary>Lines in a cell of a table.</summary>
    public static string MarkdownCell(string text) => string.Join(
        "<br>", text.Split('\n').Select(static line => Markdown(line).Replace("|", "\\|", StringComparison.Ordinal)));

    /// <summary>A word of a POSIX shell.</summary>
    public static string Quote(string word) =>
        word.Length > 0 && word.All(IsPlain) ? word : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";

    public static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);

    [GeneratedRegex("`+", RegexOptions.None, 1000)]
    private static partial Regex Backticks();

    private static bool IsVisible(char c) => char.GetUnicodeCategory(c) is not (UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator);

    private static bool IsPlain(char c) =>
        char.IsAsciiLetterOrDigit(c) || "-_./:=,+@%".Contains(c, StringComparison.Ordinal);
}

/// <summary>Sizes for people: rounded, with a unit.</summary>
internal static class SizeText
{
    public static string Format(long bytes)
    {
        var (name, shift) = ByteSize.Units.First(unit => bytes >> unit.Shift > 0 || unit.Shift == 0);
        return string.Create(CultureInfo.InvariantCulture, $"{(double)bytes / (1L << shift):0.#} {name}");
    }
}
