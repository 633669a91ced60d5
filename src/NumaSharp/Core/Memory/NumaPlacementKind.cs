namespace NumaSharp.Core;

/// <summary>How a placement uses its nodes (set_mempolicy(2), modes).</summary>
public enum NumaPlacementKind
{
    /// <summary>The nodes first, others when these are full (MPOL_PREFERRED, MPOL_PREFERRED_MANY).</summary>
    Preferred,

    /// <summary>These nodes and no other (MPOL_BIND).</summary>
    Bound,

    /// <summary>Page by page over the nodes in turn (MPOL_INTERLEAVE).</summary>
    Interleaved,
}
