namespace NumaSharp.Core.Memory;

/// <summary>Where the memory of a node comes from, for a pool or an allocator.</summary>
/// <param name="NodeId">The node that the memory is for.</param>
/// <param name="Source">The nodes that pages come from.</param>
/// <param name="BindMode">How strictly they are bound.</param>
/// <param name="FirstTouchCpus">The CPUs to touch memory from if it is not bound.</param>
internal sealed record MemoryPlace(NumaNodeId NodeId, MemorySource Source, NumaBindMode BindMode, CpuSet? FirstTouchCpus)
{
    public static MemoryPlace Of(NumaPlan plan, NumaNodePlan node) =>
        new(node.NodeId, MemorySource.Of(node), plan.BindMode, MemorySource.FirstTouchCpusOf(plan, node));

    public static MemoryPlace Of(NumaMemoryPoolOptions options) => new(
        options.NodeId,
        MemorySource.Of(options.MemoryNodeId ?? options.NodeId),
        options.BindMode,
        options.FirstTouchCpus);
}
