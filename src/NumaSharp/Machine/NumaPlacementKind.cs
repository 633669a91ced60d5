namespace NumaSharp.Core;

/// <summary>How a placement uses its nodes (set_mempolicy(2), modes).</summary>
public enum NumaPlacementKind
{
    /// <summary>The nodes first, others when these are full (MPOL_PREFERRED, MPOL_PREFERRED_MANY).</summary>
    Preferred,

    /// <summary>These nodes and no other (MPOL_BIND).</summary>
    Bound,

    /// <summary>Page by page over the nodes in turn; others when these are full (MPOL_INTERLEAVE).</summary>
    Interleaved,

    /// <summary>
    /// Page by page over the nodes in turn, as many as their weights say; others when these are full
    /// (MPOL_WEIGHTED_INTERLEAVE). A provider that cannot keep the weights returns <see cref="NumaFailure.NotSupported"/>.
    /// </summary>
    WeightedInterleaved,
}
