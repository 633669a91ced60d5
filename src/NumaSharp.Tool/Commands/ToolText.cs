using System.Globalization;

namespace NumaSharp.Tool.Commands;

/// <summary>Text for a terminal.</summary>
internal static class ToolText
{
    private static readonly string[] s_units = ["B", "KiB", "MiB", "GiB", "TiB"];

    /// <summary>Without control characters: a file's content must not forge lines or move the cursor.</summary>
    public static string OneLine(string text) => string.Create(text.Length, text, static (span, source) =>
    {
        for (var i = 0; i < span.Length; i++)
        {
            span[i] = char.IsControl(source[i]) ? ' ' : source[i];
        }
    });

    /// <summary>A size in the unit that leaves one to four digits before the point.</summary>
    public static string Bytes(long bytes)
    {
        var value = (double)bytes;
        var unit = 0;
        while (value >= 1024 && unit < s_units.Length - 1)
        {
            value /= 1024;
            unit++;
        }

        return string.Create(CultureInfo.InvariantCulture, $"{value:0.#} {s_units[unit]}");
    }

    public static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
