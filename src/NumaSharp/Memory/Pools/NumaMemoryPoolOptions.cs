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
    /// touches new memory first. <see langword="null"/>: with <see cref="NumaBindMode.Advisory"/> and the platform's own memory
    /// provider, the CPUs that this machine has for the node; otherwise the first thread that touches memory decides.
    /// </summary>
    public CpuSet? FirstTouchCpus { get; set; }
}

/// <summary>The settings of <see cref="NumaMemoryPools"/>, whose nodes and bind mode come from the plan.</summary>
public sealed class NumaMemoryPoolsOptions : NumaPoolMemoryOptions;

/// <summary>
/// The settings that a single <see cref="NumaMemoryPool"/> and the <see cref="NumaMemoryPools"/> of a plan have in common.
/// </summary>
public abstract class NumaPoolMemoryOptions : NumaNodeMemoryOptions
{
    private protected NumaPoolMemoryOptions()
    {
    }

    /// <summary>The size in bytes of an ordinary block, 64 to 1 MiB; rounded up to a multiple of 64. Default 4096.</summary>
    public int BlockSize { get; set; } = NumaMemoryPool.DefaultBlockSize;

    /// <summary>
    /// Whether a block is cleared when it is returned, so that its content does not reach the next user. Default false.
    /// </summary>
    public bool ZeroOnReturn { get; set; }

    /// <summary>
    /// Whether blocks are parts of pinned arrays of the GC's heap, for code that asks memory for its array
    /// (<see cref="System.Runtime.InteropServices.MemoryMarshal.TryGetArray{T}"/>), as Kestrel's socket transport does. Their
    /// pages are bound as others are; the address space is the GC's, and counts toward its heap limit. Default false: memory
    /// outside of the GC's heap.
    /// </summary>
    public bool ArrayBacked { get; set; }

    internal override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThan(BlockSize, NumaMemoryPool.MinBlockSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(BlockSize, NumaMemoryPool.LargestPooled);
    }
}
