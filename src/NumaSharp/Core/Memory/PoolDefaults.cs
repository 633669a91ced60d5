using System.Diagnostics;

namespace NumaSharp.Core.Memory;

/// <summary>The defaults of a pool: the real machine and its providers.</summary>
internal static class PoolDefaults
{
    public static NumaFallbacks Fallbacks { get; } = CreateFallbacks();

    /// <summary>
    /// The options of a pool on this machine; a node that it lacks gets the nearest one's memory, with a report.
    /// </summary>
    public static NumaMemoryPoolOptions ForNode(NumaNodeId nodeId, int blockSize)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(blockSize, 1);
        var plan = NumaPlan.Create(NumaTopology.Instance);
        var node = plan.NearestTo(nodeId);
        if (node.NodeId != nodeId)
        {
            Fallbacks.Report(new NumaFallback(
                "memory.node",
                $"This machine has no node {nodeId}: a memory pool for it takes memory of node {node.MemoryNodeId}, the nearest.",
                nodeId));
        }

        return new NumaMemoryPoolOptions
        {
            NodeId = nodeId,
            Source = MemorySource.Of(node),
            BlockSize = blockSize,
            BindMode = plan.BindMode,
            FirstTouchCpus = MemorySource.FirstTouchCpusOf(plan, node),
        };
    }

    public static NodeMemorySettings Resolve(NumaMemoryPoolOptions options, string owner) => new()
    {
        Owner = owner,
        NodeId = options.NodeId,
        Source = options.Source ?? MemorySource.Of(options.MemoryNodeId ?? options.NodeId),
        LimitBytes = options.LimitBytes,
        BindMode = ModeOf(options),
        Provider = ProviderOf(options),
        Affinity = options.Affinity ?? NumaPlatform.Default.Affinity,
        FirstTouchCpus = options.FirstTouchCpus,
        Fallbacks = options.Fallbacks ?? Fallbacks,
    };

    private static INumaMemoryProvider ProviderOf(NumaMemoryPoolOptions options)
    {
        var memory = options.Memory ?? NumaPlatform.Default.Memory;
        return options.ArrayBacked ? new ArrayMemory(memory) : memory;
    }

    // Only mbind(2) can place address space that exists already. Elsewhere a thread on the node touches it first by design, and
    // not for lack of a permission.
    private static NumaBindMode ModeOf(NumaMemoryPoolOptions options) =>
        options is { ArrayBacked: true, BindMode: NumaBindMode.Advisory } && !OperatingSystem.IsLinux()
            ? NumaBindMode.None
            : options.BindMode;

    private static NumaFallbacks CreateFallbacks()
    {
        var fallbacks = new NumaFallbacks();
        fallbacks.Reported += static (_, it) => Trace.TraceWarning("NumaSharp: {0}: {1}", it.Feature, it.Message);
        return fallbacks;
    }
}
