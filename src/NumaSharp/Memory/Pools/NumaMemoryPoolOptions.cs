namespace NumaSharp.Core;

/// <summary>
/// The settings of a single <see cref="NumaMemoryPool"/>, with the node and bind mode that <see cref="NumaMemoryPools"/> take
/// from their plan.
/// </summary>
public sealed class NumaMemoryPoolOptions : NumaPoolMemoryOptions
{
    /// <summary>The kernel id of the node that the pool is for. Default 0.</summary>
    public NumaNodeId NodeId { get; set; }

    /// <summary>
    /// The kernel id of the node that pages come from, if that is another one (a node without memory uses its nearest);
    /// <see langword="null"/> for <see cref="NodeId"/>.
    /// </summary>
    public NumaNodeId? MemoryNodeId { get; set; }

    /// <summary>How strictly memory is bound. Default <see cref="NumaBindMode.Advisory"/>.</summary>
    public NumaBindMode BindMode { get; set; } = NumaBindMode.Advisory;

    /// <summary>
    /// The CPUs of the node: where memory is not bound (refused, or <see cref="NumaBindMode.None"/>), a thread pinned to them
    /// touches new memory first. <see langword="null"/>: the first thread that touches it decides.
    /// </summary>
    public CpuSet? FirstTouchCpus { get; set; }
}
