using System.Globalization;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Platform;

/// <summary>Finds settings that exceed the machine or another setting.</summary>
internal static class OptionsCrossChecks
{
    private const string PoolSize = "Memory:PoolSizePerNode";

    private static readonly SizeFormat s_size = new(0, long.MaxValue);

    /// <summary>Settings that exceed the resources of an otherwise valid plan.</summary>
    public static IEnumerable<SettingFailure> FindTooMuch(NumaOptions options, NumaPlan plan)
    {
        // A loop beyond the CPUs waits for a running one; so many were probably meant for another machine. If nodes differ, a
        // smaller one may have fewer.
        var (loops, cpus) = (plan.Request.LoopsPerNode, plan.Nodes.Max(static node => node.Cpus.Count));
        if (plan.IsEnabled && loops > cpus)
        {
            yield return new SettingFailure(
                "Transport:LoopsPerNode",
                loops.ToString(CultureInfo.InvariantCulture),
                string.Create(
                    CultureInfo.InvariantCulture, $"must not be more than the CPUs of the largest node of the plan, {cpus}"));
        }

        // Skipped if the machine does not report its memory.
        var smallest = plan.Nodes.MinBy(node => MemoryOf(plan, node))!;
        if (MemoryOf(plan, smallest) is > 0 and var memory && options.Memory.PoolSizePerNode > memory)
        {
            yield return PoolTooLarge(
                options,
                string.Create(
                    CultureInfo.InvariantCulture, $"the memory of node {smallest.NodeId}, {SizeFormat.Rounded(memory)}"));
        }

        // A process that exceeds its cgroup's limit gets no error: the kernel kills it (cgroup-v2.rst, "Memory").
        var (limit, pools) = (plan.Topology.MemoryLimitBytes, plan.Nodes.Count);
        if (limit > 0 && options.Memory.PoolSizePerNode > limit / pools)
        {
            var share = pools == 1 ? "" : string.Create(CultureInfo.InvariantCulture, $" on its {pools} nodes");
            yield return PoolTooLarge(options, $"the {SizeFormat.Rounded(limit)} that the process may use{share}");
        }
    }

    /// <summary>Settings that contradict each other.</summary>
    public static IEnumerable<SettingFailure> FindConflicts(NumaOptions options)
    {
        var (size, limit) = (options.Memory.PoolSizePerNode, options.Memory.LimitPerNode);
        if (limit > 0 && size > limit)
        {
            yield return PoolTooLarge(options, $"Memory:LimitPerNode, {SizeFormat.Rounded(limit)}");
        }

        if (options.Scheduler.Plan is { } plan)
        {
            yield return new SettingFailure("Scheduler:Plan", $"{plan}", "must not be set: the host makes the plan");
        }
    }

    /// <summary>The failure when the system lacks the memory for a pool.</summary>
    public static SettingFailure NoMemoryForPool(NumaOptions options, string reason) =>
        new(PoolSize, s_size.ToText(options.Memory.PoolSizePerNode), reason);

    private static SettingFailure PoolTooLarge(NumaOptions options, string than) =>
        NoMemoryForPool(options, $"must not be more than {than}");

    private static long MemoryOf(NumaPlan plan, NumaNodePlan node) =>
        node.MemoryNodeIds.Sum(id => plan.Topology.FindNode(id)?.MemoryBytes ?? 0);
}
