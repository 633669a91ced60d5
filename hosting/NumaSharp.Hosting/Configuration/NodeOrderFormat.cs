using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Nodes in an order that matters; a kernel list is a set and has none.</summary>
internal sealed class NodeOrderFormat : SettingFormat<IReadOnlyList<int>>
{
    public override string Allowed => "nodes in order such as '0,2'";

    public override SettingShape Shape { get; } = new("string", "integer")
    {
        Minimum = 0,
        Maximum = CpuSet.MaxId,
        Pattern = @"^\s*[0-9]+\s*(,\s*[0-9]+\s*)*$",
    };

    public override bool TryParse(string text, out IReadOnlyList<int> value)
    {
        var parts = text.Split(',', StringSplitOptions.TrimEntries);
        var nodes = new int[parts.Length];
        value = nodes;
        for (var i = 0; i < parts.Length; i++)
        {
            if (!int.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out nodes[i]))
            {
                return false;
            }
        }

        return true;
    }

    public override bool IsAllowed(IReadOnlyList<int> value) =>
        value is { Count: > 0 } && value.All(static node => node is >= 0 and <= CpuSet.MaxId);

    public override string ToText(IReadOnlyList<int> value) => value is null ? "" : string.Join(',', value);
}
