using System.Globalization;

namespace NumaSharp.Tool.Commands;

/// <summary>Text for a terminal.</summary>
internal static class ToolText
{
    /// <summary>Replaces control characters: a file's content must not forge lines or move the cursor.</summary>
    public static string OneLine(string text) => string.Create(text.Length, text, static (span, source) =>
    {
        for (var i = 0; i < span.Length; i++)
        {
            span[i] = char.IsControl(source[i]) ? ' ' : source[i];
        }
    });

    public static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
