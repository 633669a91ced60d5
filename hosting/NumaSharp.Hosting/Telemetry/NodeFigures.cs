using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>What the meter says of a node.</summary>
/// <param name="NodeId">The kernel id.</param>
/// <param name="MemoryBytes">Memory that the node has.</param>
/// <param name="MemoryFreeBytes">Memory of it that is free.</param>
/// <param name="Counters">The kernel's counters, where the provider has them.</param>
internal readonly record struct NodeFigures(
    NumaNodeId NodeId, long MemoryBytes, long MemoryFreeBytes, NumaNodeStatistics? Counters)
{
    public static NodeFigures Of(NumaNode node) => new(node.Id, node.MemoryBytes, node.MemoryFreeBytes, Counters: null);

    public static NodeFigures Of(NumaNodeId nodeId, NumaNodeStatistics statistics) =>
        new(nodeId, statistics.MemoryBytes, statistics.MemoryFreeBytes, statistics);
}
