using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace NumaSharp.Core;

public sealed partial class CpuSet
{
    private const int BitsPerGroup = 32;
    private const int DigitsPerGroup = BitsPerGroup / 4;
    private const int MaxQuotedLength = 64;

    // A range costs a step per word, a range with a stride one per group: at most a few milliseconds for any text.
    private const int MaxListSteps = 1 << 22;

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

    /// <summary>Reads the kernel's list format: <c>0-3,8,16-31:2/4</c> (cpuset(7), "List format"; bitmap_parselist).</summary>
    /// <param name="text">The list; white space around it and empty parts are allowed, the empty list is the empty set.</param>
    /// <returns>The set.</returns>
    /// <exception cref="FormatException">
    /// It is not a list, a range is reversed, an id is above <see cref="MaxId"/>, or wide ranges are repeated hundreds of times.
    /// </exception>
    public static CpuSet ParseList(ReadOnlySpan<char> text) =>
        TryParseList(text, out var set)
            ? set
            : throw new FormatException($"'{Quote(text)}' is not a kernel list such as '0-3,8' with ids from 0 to {MaxId}.");

    /// <summary>Reads the kernel's list format without throwing.</summary>
    /// <param name="text">The list.</param>
    /// <param name="set">The set, or <see langword="null"/>.</param>
    /// <returns>Whether it is a list.</returns>
    public static bool TryParseList(ReadOnlySpan<char> text, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        var words = Array.Empty<ulong>();
        var steps = MaxListSteps;
        foreach (var range in text.Split(','))
        {
            var part = text[range].Trim();
            if (!part.IsEmpty && !TryAddPart(part, ref words, ref steps))
            {
                return false;
            }
        }

        set = new CpuSet(words);
        return true;
    }

    /// <summary>
    /// Reads the kernel's mask format, comma-separated hexadecimal groups, highest first (cpuset(7), "Mask format").
    /// Each group is 32 bits wide however many of its eight digits are printed; a mask without commas may have any width.
    /// </summary>
    /// <param name="text">The mask; white space around it and a leading <c>0x</c> are allowed.</param>
    /// <param name="set">The set, or <see langword="null"/>.</param>
    /// <returns>Whether it is a mask with ids from 0 to <see cref="MaxId"/>.</returns>
    public static bool TryParseMask(ReadOnlySpan<char> text, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        text = text.Trim();
        if (text.StartsWith("0x", StringComparison.OrdinalIgnoreCase))
        {
            text = text[2..];
        }

        var words = Array.Empty<ulong>();
        var hasGroups = text.Contains(',');
        for (long start = 0; ; start += BitsPerGroup)
        {
            var comma = text.LastIndexOf(',');
            var group = text[(comma + 1)..];
            if (group.IsEmpty || (hasGroups && group.Length > DigitsPerGroup) || !TryAddDigits(group, start, ref words))
            {
                return false;
            }

            if (comma < 0)
            {
                break;
            }

            text = text[..comma];
        }

        set = new CpuSet(words);
        return true;
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

    private static string Quote(ReadOnlySpan<char> text) =>
        text.Length <= MaxQuotedLength ? text.ToString() : $"{text[..MaxQuotedLength]}...";

    private static bool TryAddPart(ReadOnlySpan<char> part, ref ulong[] words, ref int steps)
    {
        if (!TryParseRange(part, out var first, out var last, out var used, out var group))
        {
            return false;
        }

        if (used == group)
        {
            steps -= ((last - first) / BitsPerWord) + 1;
            if (steps >= 0)
            {
                SetRange(ref words, first, last);
            }

            return steps >= 0;
        }

        steps -= ((last - first) / group) + ((last - first) / BitsPerWord) + 1;
        if (steps < 0)
        {
            return false;
        }

        for (var start = first; start <= last; start += group)
        {
            SetRange(ref words, start, Math.Min(start + used - 1, last));
        }

        return true;
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

    private static bool TryAddDigits(ReadOnlySpan<char> digits, long start, ref ulong[] words)
    {
        for (var i = digits.Length - 1; i >= 0; i--, start += 4)
        {
            var digit = digits[i];
            if (!char.IsAsciiHexDigit(digit))
            {
                return false;
            }

            var nibble = char.IsAsciiDigit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10;
            if (nibble == 0)
            {
                continue;
            }

            if (start > MaxId)
            {
                return false;
            }

            // Ids start at a multiple of 4, so that a digit never spans two words.
            Grow(ref words, (int)start);
            words[start / BitsPerWord] |= (ulong)nibble << (int)(start % BitsPerWord);
        }

        return true;
    }
}
