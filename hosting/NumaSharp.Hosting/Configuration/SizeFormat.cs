using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// Bytes, plain or with a binary unit. "KB" is refused: people mean 1000 or 1024 by it.
/// </summary>
/// <param name="minimum">The least.</param>
/// <param name="maximum">The most.</param>
/// <param name="zero">What 0 means where it is allowed below the minimum.</param>
internal sealed class SizeFormat(long minimum, long maximum, string? zero = null) : SettingFormat<long>
{
    private static readonly (string Unit, int Shift)[] s_units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)];

    public override string Allowed =>
        (zero is null ? "" : $"0 ({zero}) or ")
        + $"a size such as '64KiB', '1MiB' or a number of bytes, from {ToText(minimum)} to {ToText(maximum)}";

    public override SettingShape Shape { get; } = new("integer", "string")
    {
        Minimum = zero is null ? minimum : 0,
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

    public override bool IsAllowed(long value) =>
        (value >= minimum && value <= maximum) || (value == 0 && zero is not null);

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
