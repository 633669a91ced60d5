using System.Globalization;
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
            output.WriteLine(Row(row.Select(ToolText.Markdown)));
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
internal static class ToolText
{
    private const string MarkdownSigns = "\\`*_|<>[]&~";

    /// <summary>Replaces control characters: a file's content must not forge lines or move the cursor.</summary>
    public static string OneLine(string text) => string.Create(text.Length, text, static (span, source) =>
    {
        for (var i = 0; i < span.Length; i++)
        {
            span[i] = char.IsControl(source[i]) ? ' ' : source[i];
        }
    });

    /// <summary>Text that is nothing but text in Markdown, also in a cell of a table; its lines stay lines.</summary>
    public static string Markdown(string text) => string.Join("<br>", text.Split('\n').Select(static line => string.Concat(
        OneLine(line).Select(static c => MarkdownSigns.Contains(c, StringComparison.Ordinal) ? $"\\{c}" : c.ToString()))));

    /// <summary>A word of a POSIX shell.</summary>
    public static string Quote(string word) =>
        word.Length > 0 && word.All(IsPlain) ? word : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";

    public static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);

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
