using System.Globalization;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// Time with a unit, or the clock format. A bare number is refused: it could be seconds or milliseconds, and TimeSpan itself
/// reads it as days.
/// </summary>
internal sealed class DurationFormat(TimeSpan minimum, TimeSpan maximum) : SettingFormat<TimeSpan>
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

    public override string Allowed => $"a duration such as '1ms', '5s' or '00:00:05', from {ToText(minimum)} to {ToText(maximum)}";

    public override SettingShape Shape { get; } = new("string")
    {
        Pattern = @"^\s*([0-9]+(\.[0-9]+)?\s*([Uu]s|[Mm]s|[sSmMhHdD])|([0-9]+\.)?[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,7})?)?)\s*$",
    };

    public override bool TryParse(string text, out TimeSpan value)
    {
        if (text.Contains(':', StringComparison.Ordinal))
        {
            return TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out value);
        }

        foreach (var (unit, ticks) in s_units)
        {
            if (text.EndsWith(unit, StringComparison.OrdinalIgnoreCase))
            {
                return TryScale(text.AsSpan()[..^unit.Length].TrimEnd(), ticks, out value);
            }
        }

        value = default;
        return false;
    }

    public override bool IsAllowed(TimeSpan value) => value >= minimum && value <= maximum;

    public override string ToText(TimeSpan value)
    {
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
