using System.Diagnostics.CodeAnalysis;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

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
