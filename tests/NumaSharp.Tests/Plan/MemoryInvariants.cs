using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Planning;

/// <summary>What holds for the memory of any plan.</summary>
internal static class MemoryInvariants
{
    public static void CheckAll(PlanCase sample, NumaPlan plan)
    {
        NodesMayBeUsed(sample, plan);
        ListsFitThePolicy(sample, plan);
        LocalIsOwnOrNearest(sample, plan);
        SlowTiersComeLast(sample, plan);
    }

    public static void NodesMayBeUsed(PlanCase sample, NumaPlan plan)
    {
        var wanted = Sources(sample, plan);
        Assert.All(plan.Nodes, node =>
        {
            Assert.NotEmpty(node.MemoryNodeIds);
            Assert.Equal(node.MemoryNodeIds.Distinct(), node.MemoryNodeIds);
            Assert.Equal(node.MemoryNodeId, node.MemoryNodeIds[0]);
            Assert.All(node.MemoryNodeIds, id => Assert.Contains(id.Value, wanted));
            Assert.All(
                node.MemoryNodeIds,
                id => Assert.True(!IsDevice(sample, id.Value) || sample.Request.Nodes?.Contains(id.Value) == true));
        });
    }

    public static void ListsFitThePolicy(PlanCase sample, NumaPlan plan)
    {
        foreach (var node in plan.Nodes)
        {
            var isWeighted = node.MemoryPolicy == NumaMemoryPolicy.WeightedInterleave;
            Assert.Equal(isWeighted ? node.MemoryNodeIds.Count : 0, node.MemoryWeights.Count);
            Assert.All(node.MemoryWeights, static weight => Assert.InRange(weight, 1, 255));
            if (node.MemoryPolicy is NumaMemoryPolicy.Interleave or NumaMemoryPolicy.WeightedInterleave)
            {
                Assert.Equal(node.MemoryNodeIds.Order(), node.MemoryNodeIds);
                continue;
            }

            var distances = node.MemoryNodeIds.Skip(1).Select(id => sample.Topology.GetDistance(node.MemoryNodeId, id)).ToArray();
            Assert.Equal(distances.Order(), distances);
            if (node.MemoryPolicy == NumaMemoryPolicy.Custom)
            {
                Assert.Equal(sample.Request.Map[node.NodeId][0], node.MemoryNodeId);
                Assert.Equal(sample.Request.Map[node.NodeId].Order(), node.MemoryNodeIds.Order());
            }
        }

        if (plan.IsEnabled && sample.Request.Policy is not (NumaMemoryPolicy.Local or NumaMemoryPolicy.Custom))
        {
            Assert.All(plan.Nodes, node => Assert.Equal(sample.Request.Policy, node.MemoryPolicy));
            Assert.Single(plan.Nodes.Select(static node => string.Join(',', node.MemoryNodeIds)).Distinct());
        }
    }

    public static void LocalIsOwnOrNearest(PlanCase sample, NumaPlan plan)
    {
        var sources = Sources(sample, plan);
        foreach (var node in plan.Nodes.Where(static node => node.MemoryPolicy == NumaMemoryPolicy.Local))
        {
            Assert.DoesNotContain(node.MemoryNodeIds, id => id != node.NodeId && IsDevice(sample, id.Value));
            if (sources.Contains(node.NodeId.Value))
            {
                Assert.Equal(node.NodeId, node.MemoryNodeId);
                continue;
            }

            var alike = sources.Where(id =>
                !IsDevice(sample, id) && IsSlow(sample, id) == IsSlow(sample, node.MemoryNodeId.Value));
            var least = alike.Min(id => sample.Topology.GetDistance(node.NodeId, new(id)));
            Assert.Equal(least, sample.Topology.GetDistance(node.NodeId, node.MemoryNodeId));
        }
    }

    public static void SlowTiersComeLast(PlanCase sample, NumaPlan plan)
    {
        var sources = Sources(sample, plan);
        var hasFast = sources.Any(id => !IsDevice(sample, id) && !IsSlow(sample, id));
        foreach (var node in plan.Nodes.Where(_ => hasFast))
        {
            Assert.True(node.MemoryPolicy switch
            {
                // Its own pool, asked for by its number, is the way to a slow node's memory.
                NumaMemoryPolicy.Local => node.MemoryNodeId == node.NodeId || !IsSlow(sample, node.MemoryNodeId.Value),
                NumaMemoryPolicy.Interleave or NumaMemoryPolicy.Saturate =>
                    sample.Request.Nodes is not null || !node.MemoryNodeIds.Any(id => IsSlow(sample, id.Value)),
                NumaMemoryPolicy.WeightedInterleave => node.MemoryNodeIds.Count == sources.Count,
                _ => true,
            });
            Assert.False(
                node.MemoryPolicy == NumaMemoryPolicy.Local && node.MemoryNodeIds.Skip(1).Any(id => IsSlow(sample, id.Value)));
        }
    }

    private static CpuSet Sources(PlanCase sample, NumaPlan plan)
    {
        var memory = sample.Topology.MemoryNodes;
        if (!plan.IsEnabled || sample.Request.Nodes is not { } nodes)
        {
            return memory;
        }

        var devices = CpuSet.FromIds(sample.Topology.Nodes
            .Where(static node => node is { Kind: NumaNodeKind.Device, IsMemoryAllowed: true })
            .Select(static node => node.NodeId));
        return (memory.Overlaps(nodes) ? memory.Intersect(nodes) : memory).Union(devices.Intersect(nodes));
    }

    private static bool IsDevice(PlanCase sample, int nodeId) =>
        sample.Topology.FindNode(new(nodeId))!.Kind == NumaNodeKind.Device;

    private static bool IsSlow(PlanCase sample, int nodeId)
    {
        var withCpus = sample.Topology.Nodes.Where(static node => !node.OnlineCpus.IsEmpty);
        return sample.Topology.FindNode(new(nodeId))!.MemoryTier > withCpus.Max(static node => node.MemoryTier);
    }
}
