using System.Globalization;

namespace NumaSharp.Tool.Commands;

/// <summary>Sizes as people write them: 256MiB, 1GiB, or bytes.</summary>
internal static class SizeText
{
    private static readonly (string Unit, long Bytes)[] s_units =
        [("TiB", 1L << 40), ("GiB", 1L << 30), ("MiB", 1L << 20), ("KiB", 1L << 10), ("", 1)];

    public static bool TryParse(string text, out long bytes)
    {
        bytes = 0;
        var unit = s_units.First(unit => text.EndsWith(unit.Unit, StringComparison.OrdinalIgnoreCase));
        if (!long.TryParse(
            text.AsSpan(0, text.Length - unit.Unit.Length).Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var count)
            || count > long.MaxValue / unit.Bytes)
        {
            return false;
        }

        bytes = count * unit.Bytes;
        return true;
    }

    public static string Format(long bytes)
    {
        var unit = s_units.First(unit => bytes >= unit.Bytes || unit.Bytes == 1);
        var name = unit.Bytes == 1 ? "B" : unit.Unit;
        return string.Create(CultureInfo.InvariantCulture, $"{(double)bytes / unit.Bytes:0.#} {name}");
    }
}
