using System.Diagnostics;

namespace NumaSharp.Core.Memory;

/// <summary>The defaults of a pool: the real machine and its providers.</summary>
internal static class MemoryDefaults
{
    public static NumaFallbacks Fallbacks { get; } = CreateFallbacks();

    /// <summary>A node's place on this machine; a node that it lacks gets the nearest one's memory, with a report.</summary>
    public static MemoryPlace PlaceOf(NumaNodeId nodeId)
    {
        var plan = NumaPlan.Create(NumaTopology.Instance);
        var node = plan.GetNearestNode(nodeId);
        if (node.NodeId != nodeId)
        {
            Fallbacks.Report(new NumaFallback(
                FallbackCatalog.MemoryNode,
                $"This machine has no node {nodeId}: its memory pool uses memory of the nearest node, {node.MemoryNodeId}.",
                nodeId));
        }

        return MemoryPlace.Of(plan, node) with { NodeId = nodeId };
    }

    public static NodeMemory MemoryOf(NumaPoolMemoryOptions options, MemoryPlace place, string owner)
    {
        var memory = options.Memory ?? NumaPlatform.Default.Memory;
        return options.ArrayBacked
            ? new NodeMemory(owner, place with { BindMode = ModeOfArrays(place.BindMode) }, options, new ArrayMemory(memory))
            : new NodeMemory(owner, place, options, memory);
    }

    // Only mbind(2) can place address space that exists already. Elsewhere a thread on the node touches it first by design, and
    // not for lack of a permission.
    private static NumaBindMode ModeOfArrays(NumaBindMode mode) =>
        mode == NumaBindMode.Advisory && !OperatingSystem.IsLinux() ? NumaBindMode.None : mode;

    private static NumaFallbacks CreateFallbacks()
    {
        var fallbacks = new NumaFallbacks();
        fallbacks.Reported += static (_, it) => Trace.TraceWarning("NumaSharp: {0}", it);
        return fallbacks;
    }
}
