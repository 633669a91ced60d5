namespace NumaSharp.Core;

/// <summary>From which nodes the memory of a node's pools comes.</summary>
public enum NumaMemoryPolicy
{
    /// <summary>From the node itself; for a node without memory from the nearest that has some.</summary>
    Local,

    /// <summary>From all nodes in turn, page by page.</summary>
    Interleave,

    /// <summary>
    /// From all nodes in turn, in proportion to <see cref="NumaPlanRequest.Weights"/>, else to the bandwidth that firmware tells.
    /// </summary>
    WeightedInterleave,

    /// <summary>From one node until it is full, then from the next: the same order for the pools of every node.</summary>
    Saturate,

    /// <summary>From the nodes that <see cref="NumaPlanRequest.Map"/> names for each node.</summary>
    Custom,
}
