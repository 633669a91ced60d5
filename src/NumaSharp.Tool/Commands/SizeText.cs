using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>Sizes for people: rounded, with a unit.</summary>
internal static class SizeText
{
    public static string Format(long bytes)
    {
        var (name, shift) = ByteSize.Units.First(unit => bytes >> unit.Shift > 0 || unit.Shift == 0);
        return string.Create(CultureInfo.InvariantCulture, $"{(double)bytes / (1L << shift):0.#} {name}");
    }
}
