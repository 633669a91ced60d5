namespace NumaSharp.Core;

/// <summary>The nodes that the memory of a node's pools comes from.</summary>
public enum NumaMemoryPolicy
{
    /// <summary>From the node itself; for a node without memory from the nearest that has memory.</summary>
    Local,

    /// <summary>From all nodes in turn, page by page.</summary>
    Interleave,

    /// <summary>
    /// From all nodes in turn, in proportion to <see cref="NumaPlanRequest.Weights"/>, else to the bandwidth that firmware
    /// reports.
    /// </summary>
    WeightedInterleave,

    /// <summary>From one node until it is full, then from the next: the same order for the pools of every node.</summary>
    Saturate,

    /// <summary>From the nodes that <see cref="NumaPlanRequest.Map"/> names for each node.</summary>
    Custom,
}
