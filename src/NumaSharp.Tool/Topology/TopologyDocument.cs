using NumaSharp.Core;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Topology;

/// <summary>The output of <c>topology --format json</c> (docs/guide/tool.md).</summary>
internal sealed record TopologyDocument(
    string Source,
    IReadOnlyList<NodeDocument> Nodes,
    IReadOnlyList<int> MemoryNodes,
    CpuSet AllowedCpus,
    CpuSet IsolatedCpus,
    IReadOnlyList<NumaCore> Cores,
    IReadOnlyList<NumaCache> LastLevelCaches,
    IReadOnlyList<NumaNetworkDevice> NetworkDevices,
    bool HasAutomaticInterleaveWeights,
    IReadOnlyList<string> Warnings)
{
    public static TopologyDocument Of(NumaTopology topology) => new(
        topology.Source,
        [.. topology.Nodes.Select(NodeDocument.Of)],
        [.. topology.MemoryNodes],
        topology.AllowedCpus,
        topology.IsolatedCpus,
        topology.Cores,
        topology.LastLevelCaches,
        topology.NetworkDevices,
        topology.HasAutomaticInterleaveWeights,
        topology.Warnings);
}

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
    int? InterleaveWeight,
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
        node.InterleaveWeight,
        node.Access,
        node.HugePages);

    public static string NameOf(NumaNodeKind kind) => kind switch
    {
        NumaNodeKind.Normal => "normal",
        NumaNodeKind.Memory => "memory",
        NumaNodeKind.Cpu => "cpu",
        NumaNodeKind.Device => "device",
        _ => throw new ArgumentOutOfRangeException(nameof(kind), kind, "Not a NumaNodeKind value."),
    };
}
