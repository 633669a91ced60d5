namespace NumaSharp.Core;

/// <summary>What runs on, and is allocated from, one node.</summary>
public sealed record NumaNodePlan
{
    /// <summary>The kernel id of the node.</summary>
    public required int NodeId { get; init; }

    /// <summary>The node's position in <see cref="NumaPlan.Nodes"/>.</summary>
    public required int NodeIndex { get; init; }

    /// <summary>
    /// The CPUs that run the node's work: its own, or for a node without CPUs, also one that has lost them, those of the nearest
    /// that has some.
    /// </summary>
    public required CpuSet Cpus { get; init; }

    /// <summary>The position of the node whose workers and loops serve this one; its own where it had CPUs at start.</summary>
    public required int ServingIndex { get; init; }

    /// <summary>The kernel id of the node whose memory this one's pools use: its own, or the nearest that has some.</summary>
    public required int MemoryNodeId { get; init; }

    /// <summary>Scheduler workers; 0 where another node serves.</summary>
    public required int Threads { get; init; }

    /// <summary>Event loops; 0 where another node serves.</summary>
    public required int Loops { get; init; }

    /// <summary>The CPUs of each scheduler worker, as many entries as <see cref="Threads"/>; each within <see cref="Cpus"/>.</summary>
    public required IReadOnlyList<CpuSet> ThreadCpus { get; init; }

    /// <summary>The CPUs of each event loop, as many entries as <see cref="Loops"/>; each within <see cref="Cpus"/>.</summary>
    public required IReadOnlyList<CpuSet> LoopCpus { get; init; }

    /// <summary>Positions of the other nodes with workers, nearest first: the order of stealing.</summary>
    public required IReadOnlyList<int> Neighbours { get; init; }
}
