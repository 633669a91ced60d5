using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Bytes in the format of <see cref="ByteSize"/>.</summary>
/// <param name="minimum">The minimum.</param>
/// <param name="maximum">The maximum.</param>
/// <param name="zero">The meaning of 0, if it is allowed below the minimum.</param>
internal sealed class SizeFormat(long minimum, long maximum, string? zero = null) : SettingFormat<long>
{
    public override string Allowed =>
        (zero is null ? "" : $"0 ({zero}) or ")
        + $"a size such as '64KiB', '1MiB' or a number of bytes, from {ToText(minimum)} to {ToText(maximum)}";

    public override SettingShape Shape { get; } = new("integer", "string")
    {
        Minimum = zero is null ? minimum : 0,
        Maximum = maximum,
        Pattern = "^\\s*[0-9]+\\s*([KkMmGgTt][Ii])?[Bb]?\\s*$",
    };

    public override bool TryParse(string text, out long value) => ByteSize.TryParse(text, out value);

    public override bool IsAllowed(long value) =>
        (value >= minimum && value <= maximum) || (value == 0 && zero is not null);

    // "4GB", "4 gigabytes", "7.5GiB": a number and a unit with the first letter of a known one.
    public override string? Guess(string text)
    {
        var number = text.AsSpan()[..^text.AsSpan().TrimStart("0123456789.").Length];
        var unit = text.AsSpan(number.Length).TrimStart();
        foreach (var (name, shift) in ByteSize.Units)
        {
            if (shift > 0 && unit.StartsWith(name.AsSpan(0, 1), StringComparison.OrdinalIgnoreCase))
            {
                // In whole units of the next smaller unit, so that it can be written.
                return decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count)
                    && count <= long.MaxValue >> shift
                    ? ToText((long)(count * 1024) << (shift - 10))
                    : null;
            }
        }

        return null;
    }

    /// <summary>A size for people, rounded down: a value that must stay below a limit may be that large.</summary>
    public static string Rounded(long bytes)
    {
        var (unit, shift) = ByteSize.Units.First(unit => bytes >> unit.Shift > 0 || unit.Shift == 0);
        var tenths = (long)((Int128)bytes * 10 >> shift);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{tenths / 10}{(tenths % 10 == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $".{tenths % 10}"))}{unit}");
    }

    public override string ToText(long value)
    {
        foreach (var (unit, shift) in ByteSize.Units)
        {
            if (shift > 0 && value > 0 && value >> shift << shift == value)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{value >> shift}{unit}");
            }
        }

        return value.ToString(CultureInfo.InvariantCulture);
    }
}
