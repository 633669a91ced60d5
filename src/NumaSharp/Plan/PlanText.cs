using System.Globalization;

namespace NumaSharp.Core.Planning;

/// <summary>A plan in one line.</summary>
internal static class PlanText
{
    // Fewer than that are short enough, and say more.
    private const int LeastAlike = 3;

    public static string Of(NumaPlan plan) =>
        $"{Count(plan.Nodes.Count, "node")} ({plan.Topology.Source}), {ModeOf(plan)}: {string.Join("; ", PartsOf(plan))}";

    public static string Of(NumaNodePlan node) => string.Create(
        CultureInfo.InvariantCulture,
        $"node {node.NodeId} [cpus {node.Cpus}: {Count(node.Threads, "thread")} and {Count(node.Loops, "loop")}, ")
        + $"memory of {MemoryOf(node)}]";

    public static string MemoryOf(NumaNodePlan node) => node switch
    {
        { MemoryWeights.Count: > 0 } =>
            $"nodes {string.Join(',', node.MemoryNodeIds.Zip(node.MemoryWeights, static (id, weight) => $"{id} x{weight}"))}",
        { MemoryNodeIds.Count: 1 } => $"node {node.MemoryNodeId}",
        { MemoryPolicy: NumaMemoryPolicy.Interleave } => $"nodes {string.Join(',', node.MemoryNodeIds)}",
        _ => $"node {node.MemoryNodeId}, then {string.Join(',', node.MemoryNodeIds.Skip(1))}",
    };

    // In the order of the nodes; those with as many CPUs, threads and loops, and memory of their own, are one part.
    private static IEnumerable<string> PartsOf(NumaPlan plan)
    {
        // Threads of a node without CPUs are guests on all of another one's.
        var users = plan.Nodes.Where(static node => node.ServesItself).CountBy(static node => node.Cpus).ToDictionary();
        return plan.Nodes
            .GroupBy(node => node.ServesItself && HasOwnMemory(node) && users[node.Cpus] == 1
                ? (node.Cpus.Count, node.Threads, node.Loops)
                : (-1, node.NodeIndex, 0))
            .SelectMany(static alike => alike.Count() < LeastAlike
                ? alike.Select(static node => (node.NodeIndex, Text: Of(node)))
                : [(alike.First().NodeIndex, Together(alike))])
            .OrderBy(static part => part.NodeIndex)
            .Select(static part => part.Text);
    }

    private static bool HasOwnMemory(NumaNodePlan node) => node.MemoryNodeIds.Count == 1 && node.MemoryNodeId == node.NodeId;

    private static string Together(IEnumerable<NumaNodePlan> alike)
    {
        var (ids, one) = (CpuSet.FromIds(alike.Select(static node => node.NodeId.Value)), alike.First());
        var (cpus, threads, loops) = (Count(one.Cpus.Count, "cpu"), Count(one.Threads, "thread"), Count(one.Loops, "loop"));
        return $"nodes {ids} [{cpus}, {threads} and {loops} each, memory of their own]";
    }

    // Besides the bind mode, only what differs from the defaults.
    private static string ModeOf(NumaPlan plan)
    {
        var request = plan.Request;
        if (!plan.IsEnabled)
        {
            return "disabled: nothing pinned or bound";
        }

        return $"bind {plan.BindMode}"
            + (request.Policy == NumaMemoryPolicy.Local ? "" : $", {request.Policy}")
            + (GranularityOf(plan) is var granularity and not NumaAffinityGranularity.Node ? $", per {granularity}" : "")
            + (request.AvoidSmtSiblings ? ", no siblings" : "")
            + (request.NetworkDevice is { } device ? $", loops near {device}" : "");
    }

    // What Auto has become.
    private static NumaAffinityGranularity GranularityOf(NumaPlan plan) =>
        plan.Request.Granularity != NumaAffinityGranularity.Auto ? plan.Request.Granularity
        : plan.Nodes.Any(node => IsByCache(plan, node)) ? NumaAffinityGranularity.Cache
        : NumaAffinityGranularity.Node;

    // A node's threads get some of the CPUs between which the kernel moves threads, not all of them.
    private static bool IsByCache(NumaPlan plan, NumaNodePlan node) =>
        node.ThreadCpus.Any(cpus => cpus.Count > 1 && !cpus.Equals(plan.BalancedOf(node.Cpus)));

    private static string Count(int number, string noun) =>
        string.Create(CultureInfo.InvariantCulture, $"{number} {noun}{(number == 1 ? "" : "s")}");
}
