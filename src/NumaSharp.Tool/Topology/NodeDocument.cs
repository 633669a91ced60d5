using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Topology;

/// <summary>A node of <see cref="TopologyDocument"/>.</summary>
internal sealed record NodeDocument(
    int Id,
    string Kind,
    CpuSet Cpus,
    CpuSet OnlineCpus,
    long MemoryBytes,
    long MemoryFreeBytes,
    bool IsMemoryAllowed,
    IReadOnlyDictionary<string, int> Distances,
    int? MemoryTier,
    IReadOnlyList<NumaMemoryAccess> Access,
    IReadOnlyList<NumaHugePages> HugePages)
{
    public static NodeDocument Of(NumaNode node) => new(
        node.NodeId,
        NameOf(node.Kind),
        node.Cpus,
        node.OnlineCpus,
        node.MemoryBytes,
        node.MemoryFreeBytes,
        node.IsMemoryAllowed,
        node.Distances
            .OrderBy(static pair => pair.Key)
            .ToDictionary(static pair => ToolText.Number(pair.Key.Value), static pair => pair.Value),
        node.MemoryTier,
        node.Access,
        node.HugePages);

    public static string NameOf(NumaNodeKind kind) => kind switch
    {
        NumaNodeKind.Normal => "normal",
        NumaNodeKind.Memory => "memory",
        NumaNodeKind.Cpu => "cpu",
        NumaNodeKind.Device => "device",
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "Not a kind of NumaNodeKind."),
    };
}
