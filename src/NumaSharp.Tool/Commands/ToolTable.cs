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
