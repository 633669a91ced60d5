using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>
/// Services keyed by a node's kernel id: if the plan lacks the node, those of the nearest one, which is reported once.
/// </summary>
internal static class NodeServices
{
    /// <summary>The node of a key: an id, or its number, since attributes can only hold numbers.</summary>
    public static NumaNodeId? IdOf(object? key) => key switch
    {
        NumaNodeId id => id,
        int number => new NumaNodeId(number),
        _ => null,
    };

    public static NumaMemoryPool PoolFor(IServiceProvider provider, NumaNodeId nodeId)
    {
        var pool = provider.GetRequiredService<NumaMemoryPools>().ForNode(nodeId);
        ReportUnlessPlanned(provider, "memory pool", nodeId, pool.NodeId);
        return pool;
    }

    public static NumaNodeAllocator AllocatorFor(IServiceProvider provider, NumaNodeId nodeId)
    {
        var allocator = provider.GetRequiredService<NumaAllocator>().ForNode(nodeId);
        ReportUnlessPlanned(provider, "allocator", nodeId, allocator.NodeId);
        return allocator;
    }

    private static void ReportUnlessPlanned(IServiceProvider provider, string what, NumaNodeId nodeId, NumaNodeId usedId)
    {
        var plan = provider.GetRequiredService<NumaPlan>();
        if (plan.IsEnabled && plan.FindNode(nodeId) is null)
        {
            provider.GetRequiredService<NumaFallbacks>().Report(new NumaFallback(
                FallbackCatalog.MemoryNode,
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"Node {nodeId} is not in the plan: the {what} of node {usedId} is used. ")
                + $"The plan has the nodes {string.Join(',', plan.Nodes.Select(static node => node.NodeId))}.",
                nodeId));
        }
    }
}
