using NumaSharp.Core;

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
        topology.Warnings);
}
