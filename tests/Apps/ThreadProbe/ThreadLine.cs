using System.Globalization;

namespace NumaSharp.ThreadProbe;

/// <summary>A thread of this process in a line of text.</summary>
internal static class ThreadLine
{
    private const string Tasks = "/proc/self/task";

    public static string[] All() => [.. Directory.EnumerateDirectories(Tasks).Select(Of).OfType<string>()];

    private static string? Of(string folder)
    {
        try
        {
            var lines = File.ReadAllLines(Path.Join(folder, "status"));
            var isMain = Path.GetFileName(folder) == Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
            return $"{(isMain ? "main" : Value(lines, "Name:"))}\t{Value(lines, "Cpus_allowed_list:")}";
        }
        catch (IOException)
        {
            // It has ended since the folder was listed.
            return null;
        }
    }

    private static string Value(string[] lines, string key) =>
        lines.First(line => line.StartsWith(key, StringComparison.Ordinal))[key.Length..].Trim();
}
