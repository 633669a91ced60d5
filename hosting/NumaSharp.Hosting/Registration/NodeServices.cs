using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Registration;

/// <summary>Services keyed by a node's kernel id.</summary>
internal static class NodeServices
{
    /// <summary>The pool of a node; of the nearest, which is said once, where the plan lacks the node.</summary>
    public static NumaMemoryPool PoolFor(IServiceProvider provider, int nodeId)
    {
        var pool = provider.GetRequiredService<NumaMemoryPools>().ForNode(nodeId);
        var plan = provider.GetRequiredService<NumaPlan>();
        if (plan.IsEnabled && plan.FindNode(nodeId) is null)
        {
            provider.GetRequiredService<NumaFallbacks>().Report(new NumaFallback(
                "memory.node",
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"A memory pool was asked for node {nodeId}, which the plan lacks: the pool of node {pool.NodeId} is used. ")
                + $"The plan has the nodes {string.Join(',', plan.Nodes.Select(static node => node.NodeId))}.",
                nodeId));
        }

        return pool;
    }
}
