using System.Text.RegularExpressions;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Snapshot;

/// <summary>Removes the hardware address from names that systemd derives from it: enx001122334455 becomes enx-1.</summary>
internal sealed partial class SnapshotNames
{
    private readonly Dictionary<string, string> _names = new(StringComparer.Ordinal);

    public string Of(string path) => AddressInName().Replace(path, match =>
    {
        if (!_names.TryGetValue(match.Value, out var name))
        {
            name = $"{match.Groups[1].Value}-{ToolText.Number(_names.Count + 1)}";
            _names.Add(match.Value, name);
        }

        return name;
    });

    [GeneratedRegex("(?<=^sys/class/net/)([a-z]{2}x)[0-9a-f]{12}(?=/|$)", RegexOptions.None, 1000)]
    private static partial Regex AddressInName();
}
