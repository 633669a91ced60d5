using System.Collections.Immutable;
using System.Globalization;
using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <summary>
/// The effect of another reading of the machine on a plan: the new plan, and the difference. Positions and loops are kept; the
/// number of workers, where threads run, and where memory comes from may differ. Immutable.
/// </summary>
public sealed class NumaPlanChange
{
    internal NumaPlanChange(NumaPlan previous, NumaPlan plan, ImmutableArray<NumaFallback> fallbacks)
    {
        Previous = previous;
        Plan = plan;
        Fallbacks = fallbacks;
        var (before, after) = (previous.Topology, plan.Topology);
        RemovedCpus = before.AllowedCpus.Except(after.AllowedCpus);
        AddedCpus = after.AllowedCpus.Except(before.AllowedCpus);
        RemovedNodes = IdsOf(before).Except(IdsOf(after));
        AddedNodes = IdsOf(after).Except(IdsOf(before));
        RemovedMemoryNodes = before.MemoryNodes.Except(after.MemoryNodes);
        AddedMemoryNodes = after.MemoryNodes.Except(before.MemoryNodes);
        MovedNodeIndexes =
        [
            .. plan.Nodes.Where(node => HasMoved(previous, plan, node.NodeIndex)).Select(static node => node.NodeIndex),
        ];
    }

    /// <summary>The plan before.</summary>
    public NumaPlan Previous { get; }

    /// <summary>The plan now. Its <see cref="NumaPlan.Request"/> is the one of the start, whether or not it still fits.</summary>
    public NumaPlan Plan { get; }

    /// <summary>The CPUs that the process may no longer use.</summary>
    public CpuSet RemovedCpus { get; }

    /// <summary>The CPUs that the process may use now and could not before.</summary>
    public CpuSet AddedCpus { get; }

    /// <summary>The kernel ids of nodes that the process may no longer use at all.</summary>
    public CpuSet RemovedNodes { get; }

    /// <summary>The kernel ids of nodes that the process may use now and could not before.</summary>
    public CpuSet AddedNodes { get; }

    /// <summary>The kernel ids of nodes with memory that the process may no longer use, without devices.</summary>
    public CpuSet RemovedMemoryNodes { get; }

    /// <summary>The kernel ids of nodes with memory that the process may use now and could not before, without devices.</summary>
    public CpuSet AddedMemoryNodes { get; }

    /// <summary>The positions in <see cref="NumaPlan.Nodes"/> with threads, loops or memory that are elsewhere now.</summary>
    public IReadOnlyList<int> MovedNodeIndexes { get; }

    /// <summary>Whether threads and memory stay where they are, whatever else has changed in the machine.</summary>
    public bool IsEmpty => MovedNodeIndexes.Count == 0;

    /// <summary>The parts of the request that the machine cannot meet now, and the CPUs that stay unused.</summary>
    public IReadOnlyList<NumaFallback> Fallbacks { get; }

    /// <summary>The change in one line, as it is logged.</summary>
    /// <returns>The line.</returns>
    public override string ToString()
    {
        string?[] parts =
        [
            Describe("CPUs", RemovedCpus, "gone"),
            Describe("CPUs", AddedCpus, "new"),
            Describe("nodes", RemovedNodes, "gone"),
            Describe("nodes", AddedNodes, "new"),
            Describe("memory of nodes", RemovedMemoryNodes, "gone"),
            Describe("memory of nodes", AddedMemoryNodes, "new"),
            .. MovedNodeIndexes.Select(index => Describe(Previous.Nodes[index], Plan.Nodes[index])),
        ];
        return string.Join("; ", parts.OfType<string>().DefaultIfEmpty("nothing"));
    }

    private static CpuSet IdsOf(NumaTopology topology) =>
        CpuSet.FromIds(topology.Nodes.Select(static node => node.NodeId));

    // Threads beyond the plan's run where CPUs are balanced, which may change without the CPUs of the plan.
    private static bool HasMoved(NumaPlan previous, NumaPlan plan, int index)
    {
        var (before, after) = (previous.Nodes[index], plan.Nodes[index]);
        return !IsSamePlacement(before, after) || !previous.BalancedOf(before.Cpus).Equals(plan.BalancedOf(after.Cpus));
    }

    private static bool IsSamePlacement(NumaNodePlan left, NumaNodePlan right) =>
        IsSameMemory(left, right)
        && left.Cpus.Equals(right.Cpus)
        && left.ThreadCpus.SequenceEqual(right.ThreadCpus)
        && left.LoopCpus.SequenceEqual(right.LoopCpus);

    private static bool IsSameMemory(NumaNodePlan left, NumaNodePlan right) =>
        left.MemoryPolicy == right.MemoryPolicy
        && left.MemoryNodeIds.SequenceEqual(right.MemoryNodeIds)
        && left.MemoryWeights.SequenceEqual(right.MemoryWeights);

    private static string? Describe(string what, CpuSet ids, string how) => ids.IsEmpty ? null : $"{what} {ids} {how}";

    private static string Describe(NumaNodePlan before, NumaNodePlan after)
    {
        var cpus = after.Cpus.Equals(before.Cpus) ? $"on CPUs {after.Cpus}" : $"on CPUs {after.Cpus} instead of {before.Cpus}";
        var memory = IsSameMemory(before, after)
            ? ""
            : $", memory of {PlanText.MemoryOf(after)} instead of {PlanText.MemoryOf(before)}";
        return string.Create(CultureInfo.InvariantCulture, $"node {after.NodeId} {cpus}{memory}");
    }
}
