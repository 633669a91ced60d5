using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>
/// Services keyed by a node's kernel id: those of the nearest node, which is said once, where the plan lacks the node.
/// </summary>
internal static class NodeServices
{
    public static NumaMemoryPool PoolFor(IServiceProvider provider, int nodeId)
    {
        var pool = provider.GetRequiredService<NumaMemoryPools>().ForNode(nodeId);
        ReportUnlessPlanned(provider, "memory pool", nodeId, pool.NodeId);
        return pool;
    }

    public static NumaNodeAllocator AllocatorFor(IServiceProvider provider, int nodeId)
    {
        var allocator = provider.GetRequiredService<NumaAllocator>().ForNode(nodeId);
        ReportUnlessPlanned(provider, "allocator", nodeId, allocator.NodeId);
        return allocator;
    }

    private static void ReportUnlessPlanned(IServiceProvider provider, string what, int nodeId, int usedId)
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
