using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace NumaSharp.Core;

public sealed partial class CpuSet
{
    private const int BitsPerGroup = 32;

    /// <summary>Reads the kernel's list format: <c>0-3,8,16-31:2/4</c> (cpuset(7), "List format"; bitmap_parselist).</summary>
    /// <param name="text">The list; white space around it and empty parts are allowed, the empty list is the empty set.</param>
    /// <returns>The set.</returns>
    /// <exception cref="FormatException">It is not a list, a range is reversed, or an id is above <see cref="MaxId"/>.</exception>
    public static CpuSet ParseList(ReadOnlySpan<char> text) =>
        TryParseList(text, out var set)
            ? set
            : throw new FormatException($"'{text}' is not a kernel list such as '0-3,8' with ids from 0 to {MaxId}.");

    /// <summary>Reads the kernel's list format without throwing.</summary>
    /// <param name="text">The list.</param>
    /// <param name="set">The set, or <see langword="null"/>.</param>
    /// <returns>Whether it is a list.</returns>
    public static bool TryParseList(ReadOnlySpan<char> text, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        var words = Array.Empty<ulong>();
        foreach (var range in text.Split(','))
        {
            var part = text[range].Trim();
            if (part.IsEmpty)
            {
                continue;
            }

            if (!TryParseRange(part, out var first, out var last, out var used, out var group))
            {
                return false;
            }

            for (var id = first; id <= last; id++)
            {
                if ((id - first) % group < used)
                {
                    SetBit(ref words, id);
                }
            }
        }

        set = new CpuSet(words);
        return true;
    }

    /// <summary>
    /// Reads the kernel's mask format, comma-separated hexadecimal groups, highest first (cpuset(7), "Mask format").
    /// Groups are 32 bits wide; a first group may be shorter, and a mask without commas may have any width.
    /// </summary>
    /// <param name="text">The mask.</param>
    /// <param name="set">The set, or <see langword="null"/>.</param>
    /// <returns>Whether it is a mask.</returns>
    public static bool TryParseMask(ReadOnlySpan<char> text, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        text = text.Trim();
        if (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            text = text[2..];
        }

        if (text.IsEmpty)
        {
            return false;
        }

        var words = Array.Empty<ulong>();
        var groupStart = 0;
        while (true)
        {
            var comma = text.LastIndexOf(',');
            var group = text[(comma + 1)..];
            if (!TryParseGroup(group, groupStart, ref words))
            {
                return false;
            }

            if (comma < 0)
            {
                break;
            }

            // A group that something follows counts as whole groups of 32 bits, however many digits were printed.
            groupStart += Math.Max(BitsPerGroup, (group.Length * 4 + BitsPerGroup - 1) / BitsPerGroup * BitsPerGroup);
            text = text[..comma];
        }

        set = new CpuSet(words);
        return true;
    }

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

    private static bool TryParseRange(ReadOnlySpan<char> part, out int first, out int last, out int used, out int group)
    {
        first = last = 0;
        used = group = 1;
        var colon = part.IndexOf(':');
        var stride = colon < 0 ? default : part[(colon + 1)..];
        var ids = colon < 0 ? part : part[..colon];
        var dash = ids.IndexOf('-');
        if (!TryParseId(dash < 0 ? ids : ids[..dash], out first))
        {
            return false;
        }

        last = first;
        if (dash >= 0 && (!TryParseId(ids[(dash + 1)..], out last) || last < first))
        {
            return false;
        }

        if (colon < 0)
        {
            return true;
        }

        var slash = stride.IndexOf('/');
        return slash > 0
            && TryParseId(stride[..slash], out used)
            && TryParseId(stride[(slash + 1)..], out group)
            && used > 0
            && group >= used;
    }

    private static bool TryParseId(ReadOnlySpan<char> text, out int id) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out id) && id <= MaxId;

    private static bool TryParseGroup(ReadOnlySpan<char> digits, int start, ref ulong[] words)
    {
        if (digits.IsEmpty)
        {
            return false;
        }

        for (var i = 0; i < digits.Length; i++)
        {
            var digit = digits[^(i + 1)];
            if (!char.IsAsciiHexDigit(digit))
            {
                return false;
            }

            var nibble = (uint)Convert.ToInt32(digit.ToString(), 16);
            for (var bit = 0; bit < 4; bit++)
            {
                var id = start + (i * 4) + bit;
                if ((nibble & (1u << bit)) == 0)
                {
                    continue;
                }

                if (id > MaxId)
                {
                    return false;
                }

                SetBit(ref words, id);
            }
        }

        return true;
    }
}
