using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>
/// Services keyed by a node's kernel id: those of the nearest node, which is said once, where the plan lacks the node.
/// </summary>
internal static class NodeServices
{
    /// <summary>The node that a key names: an id, or its number, which is what an attribute can hold.</summary>
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
                "memory.node",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The {what} of node {nodeId} was asked for, which the plan lacks: that of node {usedId} is used. ")
                + $"The plan has the nodes {string.Join(',', plan.Nodes.Select(static node => node.NodeId))}.",
                nodeId));
        }
    }
}
