using NumaSharp.Core;

namespace NumaSharp.Hosting.Telemetry;

/// <summary>The meter's figures of a node.</summary>
/// <param name="NodeId">The kernel id.</param>
/// <param name="MemoryBytes">The node's memory.</param>
/// <param name="MemoryFreeBytes">Its free memory.</param>
/// <param name="Counters">The kernel's counters, if the provider has them.</param>
internal readonly record struct NodeFigures(
    NumaNodeId NodeId, long MemoryBytes, long MemoryFreeBytes, NumaNodeStatistics? Counters)
{
    public static NodeFigures Of(NumaNode node) => new(node.Id, node.MemoryBytes, node.MemoryFreeBytes, Counters: null);

    public static NodeFigures Of(NumaNodeId nodeId, NumaNodeStatistics statistics) =>
        new(nodeId, statistics.MemoryBytes, statistics.MemoryFreeBytes, statistics);
}
