using System.Globalization;

namespace NumaSharp.Plugins.Simulated.Settings;

/// <summary>Sizes as the rest of the section <c>Numa</c> writes them.</summary>
internal static class SizeText
{
    private static readonly (string Unit, int Shift)[] s_units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

    public static bool TryParse(string text, out long? size)
    {
        var (unit, shift) = Array.Find(s_units, unit => text.EndsWith(unit.Unit, StringComparison.OrdinalIgnoreCase));
        var digits = unit is null ? text : text[..^unit.Length].TrimEnd();
        var parsed = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number <= long.MaxValue >> shift;
        size = number << shift;
        return parsed;
    }
}
