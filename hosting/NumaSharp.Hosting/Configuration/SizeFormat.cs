using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// Bytes, plain or with a binary unit. "KB" is refused: people mean 1000 or 1024 by it.
/// </summary>
internal sealed class SizeFormat(long minimum, long maximum) : SettingFormat<long>
{
    private static readonly (string Unit, int Shift)[] s_units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

    public override string Allowed =>
        $"a size such as '64KiB', '1MiB' or a number of bytes, from {ToText(minimum)} to {ToText(maximum)}";

    public override SettingShape Shape { get; } = new("integer", "string")
    {
        Minimum = minimum,
        Maximum = maximum,
        Pattern = "^\\s*[0-9]+\\s*([KkMmGgTt][Ii])?[Bb]?\\s*$",
    };

    public override bool TryParse(string text, out long value)
    {
        var shift = 0;
        var digits = text.AsSpan();
        foreach (var (unit, unitShift) in s_units)
        {
            if (digits.EndsWith(unit, StringComparison.OrdinalIgnoreCase))
            {
                shift = unitShift;
                digits = digits[..^unit.Length].TrimEnd();
                break;
            }
        }

        if (!long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out value) || value > long.MaxValue >> shift)
        {
            return false;
        }

        value <<= shift;
        return true;
    }

    public override bool IsAllowed(long value) => value >= minimum && value <= maximum;

    public override string ToText(long value)
    {
        foreach (var (unit, shift) in s_units)
        {
            if (shift > 0 && value > 0 && value >> shift << shift == value)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{value >> shift}{unit}");
            }
        }

        return value.ToString(CultureInfo.InvariantCulture);
    }
}
