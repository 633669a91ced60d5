using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

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

/// <summary>The names of an enumeration, without its numbers.</summary>
internal sealed class ChoiceFormat<T> : SettingFormat<T>
    where T : struct, Enum
{
    private static readonly string[] s_names = Enum.GetNames<T>();

    public override string Allowed => $"one of {string.Join(", ", s_names)}";

    public override SettingShape Shape { get; } = new("string") { Names = s_names };

    // Enum.TryParse alone would accept "1" and "None,Strict".
    public override bool TryParse(string text, out T value)
    {
        value = default;
        return s_names.Contains(text, StringComparer.OrdinalIgnoreCase) && Enum.TryParse(text, ignoreCase: true, out value);
    }

    public override bool IsAllowed(T value) => Enum.IsDefined(value);

    public override string? Guess(string text) => Spelling.Nearest(text, s_names);

    public override string ToText(T value) => value.ToString();
}

internal sealed class BooleanFormat : SettingFormat<bool>
{
    public override string Allowed => "true or false";

    public override SettingShape Shape { get; } = new("boolean");

    public override bool TryParse(string text, out bool value) => bool.TryParse(text, out value);

    public override string? Guess(string text) => text.ToUpperInvariant() switch
    {
        "ON" or "YES" or "1" => "true",
        "OFF" or "NO" or "0" => "false",
        _ => Spelling.Nearest(text, ["true", "false"]),
    };

    public override string ToText(bool value) => value ? "true" : "false";
}

internal sealed class IntegerFormat(int minimum, int maximum) : SettingFormat<int>
{
    public override string Allowed => string.Create(CultureInfo.InvariantCulture, $"an integer from {minimum} to {maximum}");

    public override SettingShape Shape { get; } = new("integer") { Minimum = minimum, Maximum = maximum };

    public override bool TryParse(string text, out int value) =>
        int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value);

    public override bool IsAllowed(int value) => value >= minimum && value <= maximum;

    public override string ToText(int value) => value.ToString(CultureInfo.InvariantCulture);
}

/// <summary>A value that may be left out, in favour of a more general one.</summary>
internal sealed class OptionalFormat<T>(SettingFormat<T> format) : SettingFormat<T?>
    where T : struct
{
    public override string Allowed => format.Allowed;

    public override SettingShape Shape => format.Shape;

    public override bool TryParse(string text, out T? value)
    {
        var isRead = format.TryParse(text, out var read);
        value = read;
        return isRead;
    }

    public override bool IsAllowed(T? value) => value is not { } set || format.IsAllowed(set);

    public override string? Guess(string text) => format.Guess(text);

    public override string ToText(T? value) => value is { } set ? format.ToText(set) : "";
}

/// <summary>As <see cref="OptionalFormat{T}"/>, for text: <see langword="null"/> if left out.</summary>
internal sealed class OptionalTextFormat(SettingFormat<string> format) : SettingFormat<string?>
{
    public override string Allowed => format.Allowed;

    public override SettingShape Shape => format.Shape;

    public override bool TryParse(string text, out string? value)
    {
        var isRead = format.TryParse(text, out var read);
        value = read;
        return isRead;
    }

    public override bool IsAllowed(string? value) => value is null || format.IsAllowed(value);

    public override string? Guess(string text) => format.Guess(text);

    public override string ToText(string? value) => value is null ? "" : format.ToText(value);
}
