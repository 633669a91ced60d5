using System.Globalization;
using System.Text;

namespace NumaSharp.Core;

public sealed partial class CpuSet
{
    /// <summary>The kernel's list format, such as <c>0-3,8</c>; empty for the empty set.</summary>
    /// <returns>The list.</returns>
    public override string ToString()
    {
        var text = new StringBuilder();
        var first = -1;
        var last = -2;
        foreach (var id in this)
        {
            if (id == last + 1)
            {
                last = id;
                continue;
            }

            AppendRange(text, first, last);
            first = last = id;
        }

        AppendRange(text, first, last);
        return text.ToString();
    }

    /// <summary>The kernel's mask format: groups of eight hexadecimal digits, highest first, at least one group.</summary>
    /// <returns>The mask.</returns>
    public string ToMaskString()
    {
        var text = new StringBuilder();
        for (var group = Math.Max(Last, 0) / BitsPerGroup; group >= 0; group--)
        {
            var word = group / 2 < _words.Length ? _words[group / 2] : 0;
            text.Append(CultureInfo.InvariantCulture, $"{(uint)(word >> (group % 2 * BitsPerGroup)):x8}");
            if (group > 0)
            {
                text.Append(',');
            }
        }

        return text.ToString();
    }

    private static void AppendRange(StringBuilder text, int first, int last)
    {
        if (first < 0)
        {
            return;
        }

        if (text.Length > 0)
        {
            text.Append(',');
        }

        text.Append(CultureInfo.InvariantCulture, $"{first}");
        if (last > first)
        {
            text.Append(CultureInfo.InvariantCulture, $"-{last}");
        }
    }
}
