using NumaSharp.Core.Planning;

namespace NumaSharp.Core;

/// <summary>The work that runs on one node, and the memory it uses. Immutable.</summary>
public sealed class NumaNodePlan
{
    internal NumaNodePlan()
    {
    }

    /// <summary>The kernel id of the node.</summary>
    public required NumaNodeId NodeId { get; init; }

    /// <summary>The node's position in <see cref="NumaPlan.Nodes"/>.</summary>
    public required int NodeIndex { get; init; }

    /// <summary>
    /// The CPUs that run the node's work: its own, or, for a node without CPUs or one that has lost them, those of the nearest
    /// node that has CPUs.
    /// </summary>
    public required CpuSet Cpus { get; init; }

    /// <summary>The position of the node with the workers that serve this one; its own if it had CPUs at start.</summary>
    public required int ServingIndex { get; init; }

    /// <summary>Whether the node has workers of its own; if not, those of another node serve it.</summary>
    public bool ServesItself => ServingIndex == NodeIndex;

    /// <summary>How the nodes of <see cref="MemoryNodeIds"/> are used.</summary>
    public required NumaMemoryPolicy MemoryPolicy { get; init; }

    /// <summary>
    /// The kernel ids of the nodes that this one's pools take memory from, at least one. Interleaved: all alike, ascending.
    /// Otherwise the first is used until it is full, then the others, ordered by distance from the first.
    /// </summary>
    public required IReadOnlyList<NumaNodeId> MemoryNodeIds { get; init; }

    /// <summary>
    /// The share of each of <see cref="MemoryNodeIds"/>, 1 to 255, with <see cref="NumaMemoryPolicy.WeightedInterleave"/>;
    /// otherwise empty.
    /// </summary>
    public required IReadOnlyList<int> MemoryWeights { get; init; }

    /// <summary>
    /// The first of <see cref="MemoryNodeIds"/>: with <see cref="NumaMemoryPolicy.Local"/> the node itself, or the nearest that
    /// has memory.
    /// </summary>
    public NumaNodeId MemoryNodeId => MemoryNodeIds[0];

    /// <summary>Scheduler workers; 0 where another node serves.</summary>
    public required int Threads { get; init; }

    /// <summary>Event loops; 0 where another node serves, or where loops are kept to the nodes of network interfaces.</summary>
    public required int Loops { get; init; }

    /// <summary>
    /// The CPUs of each scheduler worker, as many entries as <see cref="Threads"/>; each within <see cref="Cpus"/>.
    /// </summary>
    public required IReadOnlyList<CpuSet> ThreadCpus { get; init; }

    /// <summary>The CPUs of each event loop, as many entries as <see cref="Loops"/>; each within <see cref="Cpus"/>.</summary>
    public required IReadOnlyList<CpuSet> LoopCpus { get; init; }

    /// <summary>Positions of the other nodes with workers, nearest first: the order of stealing.</summary>
    public required IReadOnlyList<int> Neighbors { get; init; }

    /// <summary>The node's part of the line that is logged at start.</summary>
    /// <returns>CPUs, how many threads and loops they run, and the nodes of their memory.</returns>
    public override string ToString() => PlanText.Of(this);
}
