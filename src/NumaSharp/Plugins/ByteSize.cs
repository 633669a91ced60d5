using System.Globalization;

namespace NumaSharp.Core;

/// <summary>
/// Byte counts in settings and options, plain or with a binary unit. "KB" is refused: it may mean 1000 or 1024.
/// </summary>
internal static class ByteSize
{
    /// <summary>The units, the largest first.</summary>
    public static IReadOnlyList<(string Name, int Shift)> Units { get; } =
        [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

    public static bool TryParse(string text, out long bytes)
    {
        var (name, shift) = Units.FirstOrDefault(
            unit => text.EndsWith(unit.Name, StringComparison.OrdinalIgnoreCase), (Name: "", Shift: 0));
        var digits = text.AsSpan(0, text.Length - name.Length);
        var isNumber = long.TryParse(
            name.Length > 0 ? digits.TrimEnd() : digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            && number <= long.MaxValue >> shift;
        bytes = isNumber ? number << shift : 0;
        return isNumber;
    }
}
