namespace NumaSharp.Core;

/// <summary>Where the pages of a range come from. Immutable: the weights are copied.</summary>
public sealed record NumaPlacement
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="kind"><see cref="Kind"/></param>
    /// <param name="nodes"><see cref="Nodes"/></param>
    public NumaPlacement(NumaPlacementKind kind, CpuSet nodes)
    {
        Kind = kind;
        Nodes = nodes;
    }

    /// <summary>How the nodes are used.</summary>
    public NumaPlacementKind Kind { get; init; }

    /// <summary>The kernel ids of the nodes, at least one.</summary>
    public CpuSet Nodes { get; init; }

    /// <summary>
    /// Preferred or bound to several: the one that is used first, then the others, ordered by distance from it
    /// (set_mempolicy_home_node(2)). A provider that can prefer only one node takes this one. <see langword="null"/>: the nearest
    /// to the thread that touches a page.
    /// </summary>
    public NumaNodeId? HomeNodeId { get; init; }

    /// <summary>
    /// For <see cref="NumaPlacementKind.WeightedInterleaved"/>: the pages in a turn of each node, 1 to 255, in ascending order of
    /// id; otherwise empty.
    /// </summary>
    public IReadOnlyList<int> Weights { get; init => field = [.. value ?? throw new ArgumentNullException(nameof(value))]; } = [];

    /// <summary>From one node while it has memory, then from the nearest that has (MPOL_PREFERRED).</summary>
    /// <param name="nodeId">The kernel id of the node.</param>
    /// <returns>The placement.</returns>
    public static NumaPlacement Prefer(NumaNodeId nodeId) => new(NumaPlacementKind.Preferred, CpuSet.FromIds(nodeId.Value));

    /// <summary>From one node only; if it has no memory left, that is an error (MPOL_BIND).</summary>
    /// <param name="nodeId">The kernel id of the node.</param>
    /// <returns>The placement.</returns>
    public static NumaPlacement Bind(NumaNodeId nodeId) => new(NumaPlacementKind.Bound, CpuSet.FromIds(nodeId.Value));

    /// <summary>Whether both say the same, weights included.</summary>
    /// <param name="other">The other placement.</param>
    /// <returns>Whether they are equal.</returns>
    public bool Equals(NumaPlacement? other) =>
        other is not null
        && Kind == other.Kind
        && Nodes.Equals(other.Nodes)
        && HomeNodeId == other.HomeNodeId
        && Weights.SequenceEqual(other.Weights);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Kind, Nodes, HomeNodeId);
}

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
