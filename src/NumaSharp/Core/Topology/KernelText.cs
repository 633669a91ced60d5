using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace NumaSharp.Core.Topology;

/// <summary>Parsers of kernel text: pure functions over spans, no I/O.</summary>
internal static class KernelText
{
    private const int LocalDistance = 10;
    private const int MaxDistance = 255;
    private const long BytesPerKilobyte = 1024;

    /// <summary>Reads MemTotal and MemFree of proc_meminfo(5) or of a node's meminfo, whose lines begin with "Node N".</summary>
    public static bool TryParseMeminfo(ReadOnlySpan<char> text, out NodeMemory memory)
    {
        memory = default;
        if (!TryFindKilobytes(text, "MemTotal:", out var total))
        {
            return false;
        }

        // Old kernels print both; a total without a free figure is still a total.
        _ = TryFindKilobytes(text, "MemFree:", out var free);
        memory = new NodeMemory(total, Math.Min(free, total));
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

    private static bool TryFindKilobytes(ReadOnlySpan<char> text, string name, out long bytes)
    {
        bytes = 0;
        foreach (var line in text.EnumerateLines())
        {
            var at = line.IndexOf(name, StringComparison.Ordinal);
            if (at < 0)
            {
                continue;
            }

            var value = line[(at + name.Length)..].Trim();
            if (!value.EndsWith("kB", StringComparison.Ordinal)
                || !long.TryParse(value[..^2].TrimEnd(), NumberStyles.None, CultureInfo.InvariantCulture, out var kilobytes)
                || kilobytes > long.MaxValue / BytesPerKilobyte)
            {
                return false;
            }

            bytes = kilobytes * BytesPerKilobyte;
            return true;
        }

        return false;
    }
}
