using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace NumaSharp.Core.Linux;

/// <summary>Parsers of kernel text: pure functions over spans, no I/O.</summary>
internal static class KernelText
{
    private const int LocalDistance = 10;
    private const int MaxDistance = 255;
    private const long BytesPerKilobyte = 1024;

    /// <summary>
    /// Reads a list as the kernel prints it: ranges only. Strides are for lists that people write, and working through them in
    /// each of thousands of files would take minutes.
    /// </summary>
    public static bool TryParseList(ReadOnlySpan<char> text, [NotNullWhen(true)] out CpuSet? set)
    {
        set = null;
        return !text.Contains(':') && CpuSet.TryParseList(text, out set);
    }

    /// <summary>Reads MemTotal and MemFree of proc_meminfo(5), or of a node's meminfo, where lines begin with "Node N".</summary>
    public static bool TryParseMeminfo(ReadOnlySpan<char> text, out NodeMeminfo memory)
    {
        memory = default;
        if (!TryFindKilobytes(text, "MemTotal:", out var total))
        {
            return false;
        }

        // Old kernels print both; a total without a free figure is still a total.
        _ = TryFindKilobytes(text, "MemFree:", out var free);
        memory = new NodeMeminfo(total, Math.Min(free, total));
        return true;
    }

    /// <summary>Reads a row of the SLIT: distances separated by spaces, 10 (local) to 255 (unreachable).</summary>
    public static bool TryParseDistances(ReadOnlySpan<char> text, [NotNullWhen(true)] out int[]? distances)
    {
        distances = null;
        var row = new List<int>();
        foreach (var range in text.SplitAny(' ', '\t', '\n'))
        {
            var word = text[range];
            if (word.IsEmpty)
            {
                continue;
            }

            if (!int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out var distance)
                || distance is < LocalDistance or > MaxDistance)
            {
                return false;
            }

            row.Add(distance);
        }

        distances = [.. row];
        return row.Count > 0;
    }

    /// <summary>Finds "Name: value" at the beginning of a line.</summary>
    public static bool TryFindField(ReadOnlySpan<char> text, string name, out ReadOnlySpan<char> value)
    {
        foreach (var line in text.EnumerateLines())
        {
            if (line.StartsWith(name, StringComparison.Ordinal) && line[name.Length..].TrimStart() is [':', ..])
            {
                value = line[name.Length..].TrimStart()[1..].Trim();
                return true;
            }
        }

        value = default;
        return false;
    }

    /// <summary>Reads the size of a cache: "32K".</summary>
    public static bool TryParseSize(ReadOnlySpan<char> text, out long bytes)
    {
        var unit = text is [.., 'K'] ? BytesPerKilobyte : text is [.., 'M'] ? BytesPerKilobyte * BytesPerKilobyte : 1;
        var digits = unit == 1 ? text : text[..^1];
        var known = int.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var units);
        bytes = units * unit;
        return known;
    }

    /// <summary>Finds "NAME N" or "NAME: N" in the lines of a kernel file.</summary>
    public static bool TryFindNumber(ReadOnlySpan<char> text, string name, out long number)
    {
        number = 0;
        return TryFindAfter(text, name, out var value)
            && long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out number);
    }

    /// <summary>Finds "NAME N kB" in the lines of a kernel file.</summary>
    public static bool TryFindKilobytes(ReadOnlySpan<char> text, string name, out long bytes)
    {
        bytes = 0;
        return TryFindAfter(text, name, out var value) && TryParseKilobytes(value, out bytes);
    }

    /// <summary>Reads "N kB" or "NkB".</summary>
    public static bool TryParseKilobytes(ReadOnlySpan<char> text, out long bytes)
    {
        bytes = 0;
        if (!text.EndsWith("kB", StringComparison.Ordinal)
            || !long.TryParse(text[..^2].TrimEnd(), NumberStyles.None, CultureInfo.InvariantCulture, out var kilobytes)
            || kilobytes > long.MaxValue / BytesPerKilobyte)
        {
            return false;
        }

        bytes = kilobytes * BytesPerKilobyte;
        return true;
    }

    private static bool TryFindAfter(ReadOnlySpan<char> text, string name, out ReadOnlySpan<char> value)
    {
        foreach (var line in text.EnumerateLines())
        {
            var at = line.IndexOf(name, StringComparison.Ordinal);
            if (at >= 0)
            {
                value = line[(at + name.Length)..].Trim();
                return true;
            }
        }

        value = default;
        return false;
    }
}

/// <summary>The two lines of a meminfo file that matter here, in bytes.</summary>
internal readonly record struct NodeMeminfo(long TotalBytes, long FreeBytes);
