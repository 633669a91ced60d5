using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// A time with a unit, or in clock format. A bare number is refused: it could mean seconds or milliseconds, and TimeSpan itself
/// parses it as days.
/// </summary>
/// <param name="minimum">The minimum.</param>
/// <param name="maximum">The maximum.</param>
/// <param name="zero">The meaning of 0, which needs no unit, if it is allowed below the minimum.</param>
internal sealed class DurationFormat(TimeSpan minimum, TimeSpan maximum, string? zero = null) : SettingFormat<TimeSpan>
{
    private static readonly (string Unit, long Ticks)[] s_units =
    [
        ("us", TimeSpan.TicksPerMicrosecond),
        ("ms", TimeSpan.TicksPerMillisecond),
        ("s", TimeSpan.TicksPerSecond),
        ("m", TimeSpan.TicksPerMinute),
        ("h", TimeSpan.TicksPerHour),
        ("d", TimeSpan.TicksPerDay),
    ];

    public override string Allowed =>
        (zero is null ? "" : $"0 ({zero}) or ")
        + $"a duration such as '1ms', '5s' or '00:00:05', from {ToText(minimum)} to {ToText(maximum)}";

    public override SettingShape Shape { get; } = new(zero is null ? ["string"] : ["integer", "string"])
    {
        Minimum = zero is null ? null : 0,
        Maximum = zero is null ? null : 0,
        Pattern = (zero is null ? @"^\s*(" : @"^\s*(0|") + @"[0-9]+(\.[0-9]+)?\s*([Uu]s|[Mm]s|[sSmMhHdD])"
            + @"|([0-9]+\.)?[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,7})?)?)\s*$",
    };

    public override bool TryParse(string text, out TimeSpan value)
    {
        if (text.Contains(':', StringComparison.Ordinal))
        {
            return TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out value);
        }

        value = default;
        if (zero is not null && text == "0")
        {
            return true;
        }

        foreach (var (unit, ticks) in s_units)
        {
            if (text.EndsWith(unit, StringComparison.OrdinalIgnoreCase))
            {
                return TryScale(text.AsSpan()[..^unit.Length].TrimEnd(), ticks, out value);
            }
        }

        return false;
    }

    // "5 seconds", "1min": a number and a spelled-out unit.
    public override string? Guess(string text)
    {
        var number = text.AsSpan()[..^text.AsSpan().TrimStart("0123456789.").Length];
        var unit = text.AsSpan(number.Length).TrimStart().ToString().ToUpperInvariant() switch
        {
            ['M', 'I', 'C', ..] or "\u00B5S" or "\u039CS" or "USEC" or "USECS" => "us",
            ['M', 'I', 'L', ..] or "MSEC" or "MSECS" => "ms",
            ['S', 'E', 'C', ..] => "s",
            ['M', 'I', 'N', ..] => "m",
            ['H', 'O', 'U', 'R', ..] or "HR" or "HRS" => "h",
            ['D', 'A', 'Y', ..] => "d",
            _ => null,
        };
        return unit is null ? null : $"{number}{unit}";
    }

    public override bool IsAllowed(TimeSpan value) =>
        (value >= minimum && value <= maximum) || (value == TimeSpan.Zero && zero is not null);

    public override string ToText(TimeSpan value)
    {
        if (value == TimeSpan.Zero && zero is not null)
        {
            return "0";
        }

        foreach (var (unit, ticks) in s_units.Reverse())
        {
            if (value.Ticks != 0 && value.Ticks % ticks == 0)
            {
                return string.Create(CultureInfo.InvariantCulture, $"{value.Ticks / ticks}{unit}");
            }
        }

        return value.ToString("c", CultureInfo.InvariantCulture);
    }

    private static bool TryScale(ReadOnlySpan<char> number, long ticks, out TimeSpan value)
    {
        value = default;
        if (!decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count)
            || count > TimeSpan.MaxValue.Ticks / ticks)
        {
            return false;
        }

        value = TimeSpan.FromTicks((long)(count * ticks));
        return true;
    }
}
