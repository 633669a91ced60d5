namespace NumaSharp.Core;

/// <summary>Where the pages of a range come from.</summary>
/// <param name="Kind">How the nodes are used.</param>
/// <param name="Nodes">The kernel ids of the nodes, at least one.</param>
public sealed record NumaPlacement(NumaPlacementKind Kind, CpuSet Nodes)
{
    /// <summary>From one node when it has memory, else from its nearest (MPOL_PREFERRED).</summary>
    /// <param name="nodeId">The kernel id of the node.</param>
    /// <returns>The placement.</returns>
    public static NumaPlacement Prefer(int nodeId) => new(NumaPlacementKind.Preferred, CpuSet.FromIds(nodeId));

    /// <summary>From one node only; out of memory there is an error (MPOL_BIND).</summary>
    /// <param name="nodeId">The kernel id of the node.</param>
    /// <returns>The placement.</returns>
    public static NumaPlacement Bind(int nodeId) => new(NumaPlacementKind.Bound, CpuSet.FromIds(nodeId));
}
