using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Configuration;

/// <summary>Finds what is more than there is, in the machine or by another setting.</summary>
internal static class PlanFit
{
    private const string PoolSize = "Memory:PoolSizePerNode";

    private static readonly SizeFormat s_size = new(0, long.MaxValue);

    /// <summary>What a plan that can be carried out has too little for.</summary>
    public static IEnumerable<SettingFailure> FindTooMuch(NumaOptions options, NumaPlan plan)
    {
        // A loop beyond the CPUs waits for one that works; whoever has set so many had another machine in mind. Where nodes
        // differ a smaller one may have fewer.
        var (loops, cpus) = (plan.Request.LoopsPerNode, plan.Nodes.Max(static node => node.Cpus.Count));
        if (plan.IsEnabled && loops > cpus)
        {
            yield return new SettingFailure(
                "Transport:LoopsPerNode",
                loops.ToString(CultureInfo.InvariantCulture),
                string.Create(
                    CultureInfo.InvariantCulture, $"must not be more than the CPUs of the largest node of the plan, {cpus}"));
        }

        // A machine that does not say how much memory it has is not asked.
        var smallest = plan.Nodes.MinBy(node => MemoryOf(plan, node))!;
        if (MemoryOf(plan, smallest) is > 0 and var memory && options.Memory.PoolSizePerNode > memory)
        {
            yield return PoolTooLarge(
                options,
                string.Create(
                    CultureInfo.InvariantCulture, $"the memory of node {smallest.NodeId}, {SizeFormat.Rounded(memory)}"));
        }

        // Who takes more than its cgroup allows is not refused anything: the kernel kills it (cgroup-v2.rst, "Memory").
        var (limit, pools) = (plan.Topology.MemoryLimitBytes, plan.Nodes.Count);
        if (limit > 0 && options.Memory.PoolSizePerNode > limit / pools)
        {
            var share = pools == 1 ? "" : string.Create(CultureInfo.InvariantCulture, $" on its {pools} nodes");
            yield return PoolTooLarge(options, $"the {SizeFormat.Rounded(limit)} that the process may use{share}");
        }
    }

    /// <summary>Settings that exclude each other.</summary>
    public static IEnumerable<SettingFailure> FindConflicts(NumaOptions options)
    {
        var (size, limit) = (options.Memory.PoolSizePerNode, options.Memory.LimitPerNode);
        return limit > 0 && size > limit ? [PoolTooLarge(options, $"Memory:LimitPerNode, {SizeFormat.Rounded(limit)}")] : [];
    }

    /// <summary>The system has no such memory for a pool.</summary>
    public static SettingFailure NoMemoryForPool(NumaOptions options, string reason) =>
        new(PoolSize, s_size.ToText(options.Memory.PoolSizePerNode), reason);

    private static SettingFailure PoolTooLarge(NumaOptions options, string than) =>
        NoMemoryForPool(options, $"must not be more than {than}");

    private static long MemoryOf(NumaPlan plan, NumaNodePlan node) =>
        node.MemoryNodeIds.Sum(id => plan.Topology.FindNode(id)?.MemoryBytes ?? 0);
}
