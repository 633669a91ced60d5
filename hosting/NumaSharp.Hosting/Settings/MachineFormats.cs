using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

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

/// <summary>CPU or node numbers in the kernel's list format.</summary>
internal sealed class KernelListFormat : SettingFormat<CpuSet?>
{
    public override string Allowed => "a kernel list such as '0-3,8'";

    public override SettingShape Shape { get; } = new("string", "integer")
    {
        Minimum = 0,
        Maximum = CpuSet.MaxId,
        Pattern = @"^[0-9,:/\s-]*$",
    };

    public override bool TryParse(string text, [MaybeNullWhen(false)] out CpuSet? value)
    {
        var parsed = CpuSet.TryParseList(text, out var set);
        value = set;
        return parsed;
    }

    public override string ToText(CpuSet? value) => value?.ToString() ?? "";
}

/// <summary>Page sizes are written as sizes, which cannot be names of an enumeration.</summary>
internal sealed class HugePageFormat : SettingFormat<NumaHugePageUse>
{
    private static readonly (NumaHugePageUse Use, string Text)[] s_texts =
    [
        (NumaHugePageUse.None, "None"),
        (NumaHugePageUse.Transparent, "Transparent"),
        (NumaHugePageUse.Size2MiB, "2MiB"),
        (NumaHugePageUse.Size1GiB, "1GiB"),
    ];

    public override string Allowed => $"one of {string.Join(", ", s_texts.Select(static pair => pair.Text))}";

    public override SettingShape Shape { get; } = new("string") { Names = [.. s_texts.Select(static pair => pair.Text)] };

    public override bool TryParse(string text, out NumaHugePageUse value)
    {
        var index = Array.FindIndex(s_texts, pair => pair.Text.Equals(text, StringComparison.OrdinalIgnoreCase));
        value = index < 0 ? default : s_texts[index].Use;
        return index >= 0;
    }

    public override bool IsAllowed(NumaHugePageUse value) => Enum.IsDefined(value);

    public override string? Guess(string text) => Spelling.Nearest(text, s_texts.Select(static pair => pair.Text));

    public override string ToText(NumaHugePageUse value) =>
        Array.Find(s_texts, pair => pair.Use == value).Text ?? value.ToString();
}
