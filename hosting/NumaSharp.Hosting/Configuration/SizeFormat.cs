using System.Globalization;
using NumaSharp.Units;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Bytes as <see cref="ByteSize"/> reads them.</summary>
/// <param name="minimum">The least.</param>
/// <param name="maximum">The most.</param>
/// <param name="zero">What 0 means where it is allowed below the minimum.</param>
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
