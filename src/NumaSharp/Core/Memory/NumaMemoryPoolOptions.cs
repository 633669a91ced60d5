using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>How a <see cref="NumaMemoryPool"/> is made. Read once, by the constructor.</summary>
public sealed class NumaMemoryPoolOptions
{
    /// <summary>The kernel id of the node that the pool is for. Default 0.</summary>
    public NumaNodeId NodeId { get; set; }

    /// <summary>
    /// The kernel id of the node whose pages are used, where that is another one (a node without memory uses its
    /// nearest); <see langword="null"/> for <see cref="NodeId"/>.
    /// </summary>
    public NumaNodeId? MemoryNodeId { get; set; }

    /// <summary>The size in bytes of an ordinary block, 64 to 1 MiB; rounded up to a multiple of 64. Default 4096.</summary>
    public int BlockSize { get; set; } = NumaMemoryPool.DefaultBlockSize;

    /// <summary>The most bytes of memory that the pool takes from the system; 0, the default, for no limit.</summary>
    public long LimitBytes { get; set; }

    /// <summary>How serious the binding is meant. Default <see cref="NumaBindMode.Advisory"/>.</summary>
    public NumaBindMode BindMode { get; set; } = NumaBindMode.Advisory;

    /// <summary>Whether a block is cleared when it is returned, so that no secret lives on in the pool. Default false.</summary>
    public bool ZeroOnReturn { get; set; }

    /// <summary>
    /// Whether blocks are parts of pinned arrays of the GC's heap, for those who ask memory for its array
    /// (<see cref="System.Runtime.InteropServices.MemoryMarshal.TryGetArray{T}"/>), as Kestrel's socket transport does. Their
    /// pages are bound as others are; the address space is the GC's, and counts toward its heap limit. Default false: memory
    /// that the GC does not know.
    /// </summary>
    public bool ArrayBacked { get; set; }

    /// <summary>
    /// How long memory stays with the pool that nobody has needed; slabs (2 MiB) that were wholly free for that time go back to
    /// the system, within about twice of it. From 1 ms to 49 days; <see cref="TimeSpan.Zero"/>, the default: only
    /// <see cref="NumaMemoryPool.Trim"/> gives memory back.
    /// </summary>
    public TimeSpan TrimAfter { get; set; }

    /// <summary>
    /// How many bytes of committed memory <see cref="TrimAfter"/> leaves, so that a service which wakes up does not begin with
    /// page faults. Default 16 MiB.
    /// </summary>
    public long KeepBytes { get; set; } = NumaMemoryPool.DefaultKeepBytes;

    /// <summary>
    /// How wrong use of blocks is looked for. Other than <see cref="NumaMemoryChecks.None"/>, the default, an owner is of one
    /// rent, and threads keep no free blocks: renting takes a lock, and allocates an object.
    /// </summary>
    public NumaMemoryChecks Checks { get; set; }

    /// <summary>
    /// With <see cref="NumaMemoryChecks.Checks"/>: of how many rents and returns one is looked up in the stack, which is most of
    /// what the mode costs. 1, the default: every one; 0: none.
    /// </summary>
    public int TraceEvery { get; set; } = 1;

    /// <summary>What <see cref="TrimAfter"/> is measured by; <see langword="null"/> for the system's clock.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Where address space and pages come from; <see langword="null"/> for this machine's own provider.</summary>
    public INumaMemoryProvider? Memory { get; set; }

    /// <summary>Pins the thread of a first touch; <see langword="null"/> for this machine's own provider.</summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>
    /// The CPUs of the node: where memory is not bound (refused, or <see cref="NumaBindMode.None"/>), a thread pinned to
    /// them touches new memory first. <see langword="null"/>: whoever touches it first decides.
    /// </summary>
    public CpuSet? FirstTouchCpus { get; set; }

    /// <summary>Told what could not be had; <see langword="null"/> for <see cref="NumaMemoryPool.DefaultFallbacks"/>.</summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>What a plan says in place of <see cref="MemoryNodeId"/>.</summary>
    internal MemorySource? Source { get; init; }
}
