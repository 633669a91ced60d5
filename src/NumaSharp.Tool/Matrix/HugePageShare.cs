using System.Globalization;

namespace NumaSharp.Tool.Matrix;

/// <summary>The part of a range in huge pages (AnonHugePages of /proc/PID/smaps, proc_pid_smaps(5)).</summary>
internal static class HugePageShare
{
    private const string SmapsPath = "/proc/self/smaps";

    /// <summary>The number of bytes, or <see langword="null"/> if the system does not report it.</summary>
    public static long? BytesIn(nint address, long size)
    {
        try
        {
            return File.Exists(SmapsPath) ? Sum(File.ReadLines(SmapsPath), (ulong)address, (ulong)(address + size)) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>Sums the mappings that lie in the range.</summary>
    internal static long Sum(IEnumerable<string> lines, ulong start, ulong end)
    {
        var sum = 0L;
        var isInside = false;
        foreach (var line in lines)
        {
            if (TryParseRange(line, out var from, out var to))
            {
                isInside = from < end && to > start;
            }
            else if (isInside && line.StartsWith("AnonHugePages:", StringComparison.Ordinal))
            {
                var kilobytes = line["AnonHugePages:".Length..].Replace("kB", "", StringComparison.Ordinal).Trim();
                sum += long.Parse(kilobytes, CultureInfo.InvariantCulture) * 1024;
            }
        }

        return Math.Min(sum, (long)(end - start));
    }

    private static bool TryParseRange(string line, out ulong from, out ulong to)
    {
        (from, to) = (0, 0);
        var dash = line.IndexOf('-', StringComparison.Ordinal);
        var space = line.IndexOf(' ', StringComparison.Ordinal);
        return dash > 0
            && space > dash
            && ulong.TryParse(line.AsSpan(0, dash), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out from)
            && ulong.TryParse(
                line.AsSpan(dash + 1, space - dash - 1), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out to);
    }
}
