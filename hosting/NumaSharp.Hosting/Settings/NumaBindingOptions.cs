using NumaSharp.Core;

namespace NumaSharp.Hosting;

/// <summary>Which nodes and CPUs are used, and how memory is bound to them: section <c>Numa:Binding</c>.</summary>
public sealed class NumaBindingOptions
{
    /// <summary>The nodes that supply the memory of a node's pools and allocator.</summary>
    /// <value>Default <see cref="NumaMemoryPolicy.Local"/>.</value>
    public NumaMemoryPolicy Policy { get; set; }

    /// <summary>
    /// For <see cref="NumaMemoryPolicy.WeightedInterleave"/>: the share of each node, by kernel id, from 1 to 255; 1 for a node
    /// that is not named.
    /// </summary>
    /// <value>Default empty: in proportion to the bandwidth reported by firmware, or equal if it reports none.</value>
    public IDictionary<NumaNodeId, int> Weights { get; } = new Dictionary<NumaNodeId, int>();

    /// <summary>
    /// For <see cref="NumaMemoryPolicy.Custom"/>: the nodes that each node's memory comes from, by kernel id. The first is used
    /// until it is full, then the others, ordered by distance from the first.
    /// </summary>
    /// <value>Default empty. A node that is not named gets its memory as with <see cref="NumaMemoryPolicy.Local"/>.</value>
    public IDictionary<NumaNodeId, IReadOnlyList<NumaNodeId>> Map { get; } =
        new Dictionary<NumaNodeId, IReadOnlyList<NumaNodeId>>();

    /// <summary>The kernel ids of the nodes to use.</summary>
    /// <value><see langword="null"/> (the default) for all that the process may use.</value>
    public CpuSet? Nodes { get; set; }

    /// <summary>The CPUs to use.</summary>
    /// <value>
    /// <see langword="null"/> (the default) for all that the process may use and the kernel balances: isolated CPUs must be
    /// named.
    /// </value>
    public CpuSet? Cpus { get; set; }

    /// <summary>
    /// A folder in which the copies of an application on one machine claim nodes, through a locked file per node: a process uses
    /// the first of its nodes that no other has, until it ends. Created if missing. When all are claimed, all are used.
    /// </summary>
    /// <value><see langword="null"/> (the default): every copy uses all of its nodes.</value>
    public string? Claims { get; set; }

    /// <summary>The network interface that selects the nodes running event loops; <c>Auto</c>: those of all interfaces.</summary>
    /// <value><see langword="null"/> (the default): every node runs event loops.</value>
    public string? NetworkDevice { get; set; }

    /// <summary>How strictly memory is bound to a node.</summary>
    /// <value>Default <see cref="NumaBindMode.Advisory"/>.</value>
    public NumaBindMode Mode { get; set; } = NumaBindMode.Advisory;
}
