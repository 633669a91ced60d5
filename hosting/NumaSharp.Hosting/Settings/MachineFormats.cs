using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Nodes in significant order; a kernel list is an unordered set.</summary>
internal sealed class NodeOrderFormat : SettingFormat<IReadOnlyList<NumaNodeId>>
{
    public override string Allowed => "nodes in order such as '0,2'";

    public override SettingShape Shape { get; } = new("string", "integer")
    {
        Minimum = 0,
        Maximum = CpuSet.MaxId,
        Pattern = @"^\s*[0-9]+\s*(,\s*[0-9]+\s*)*$",
    };

    public override bool TryParse(string text, out IReadOnlyList<NumaNodeId> value)
    {
        var parts = text.Split(',', StringSplitOptions.TrimEntries);
        var nodes = new NumaNodeId[parts.Length];
        value = nodes;
        for (var i = 0; i < parts.Length; i++)
        {
            if (!int.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out var node) || node > CpuSet.MaxId)
            {
                return false;
            }

            nodes[i] = new NumaNodeId(node);
        }

        return true;
    }

    public override bool IsAllowed(IReadOnlyList<NumaNodeId> value) =>
        value is { Count: > 0 };

    public override string ToText(IReadOnlyList<NumaNodeId> value) => value is null ? "" : string.Join(',', value);
}
