using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>The settings of a <see cref="NumaMemoryPool"/>. Read once, by the constructor.</summary>
public sealed class NumaMemoryPoolOptions
{
    /// <summary>The kernel id of the node that the pool is for. Default 0.</summary>
    public NumaNodeId NodeId { get; set; }

    /// <summary>
    /// The kernel id of the node that pages come from, if that is another one (a node without memory uses its nearest);
    /// <see langword="null"/> for <see cref="NodeId"/>.
    /// </summary>
    public NumaNodeId? MemoryNodeId { get; set; }

    /// <summary>The size in bytes of an ordinary block, 64 to 1 MiB; rounded up to a multiple of 64. Default 4096.</summary>
    public int BlockSize { get; set; } = NumaMemoryPool.DefaultBlockSize;

    /// <summary>The most bytes of memory that the pool takes from the system; 0, the default, for no limit.</summary>
    public long LimitBytes { get; set; }

    /// <summary>How strictly memory is bound. Default <see cref="NumaBindMode.Advisory"/>.</summary>
    public NumaBindMode BindMode { get; set; } = NumaBindMode.Advisory;

    /// <summary>Whether a block is cleared when it is returned, so that no secret lives on in the pool. Default false.</summary>
    public bool ZeroOnReturn { get; set; }

    /// <summary>
    /// Whether blocks are parts of pinned arrays of the GC's heap, for code that asks memory for its array
    /// (<see cref="System.Runtime.InteropServices.MemoryMarshal.TryGetArray{T}"/>), as Kestrel's socket transport does. Their
    /// pages are bound as others are; the address space is the GC's, and counts toward its heap limit. Default false: memory
    /// outside of the GC's heap.
    /// </summary>
    public bool ArrayBacked { get; set; }

    /// <summary>
    /// How long unused memory stays with the pool; slabs (2 MiB) that were wholly free for that time go back to the system,
    /// within about twice that time. From 1 ms to 49 days; <see cref="TimeSpan.Zero"/>, the default: only
    /// <see cref="NumaMemoryPool.Trim"/> gives memory back.
    /// </summary>
    public TimeSpan TrimAfter { get; set; }

    /// <summary>
    /// How many bytes of committed memory <see cref="TrimAfter"/> leaves, so that a service which wakes up does not begin with
    /// page faults. Default 16 MiB.
    /// </summary>
    public long KeepBytes { get; set; } = NumaMemoryPool.DefaultKeepBytes;

    /// <summary>
    /// How wrong use of blocks is found. Other than <see cref="NumaMemoryChecks.None"/>, the default, an owner is valid for one
    /// rent, and threads keep no free blocks: renting takes a lock, and allocates an object.
    /// </summary>
    public NumaMemoryChecks Checks { get; set; }

    /// <summary>
    /// With <see cref="NumaMemoryChecks.Checks"/>: one in this many rents and returns takes a stack trace, which is most of what
    /// the mode costs. 1, the default: every one; 0: none.
    /// </summary>
    public int TraceEvery { get; set; } = 1;

    /// <summary>The clock of <see cref="TrimAfter"/>; <see langword="null"/> for the system's clock.</summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Where address space and pages come from; <see langword="null"/> for this machine's own provider.</summary>
    public INumaMemoryProvider? Memory { get; set; }

    /// <summary>Pins the thread of a first touch; <see langword="null"/> for this machine's own provider.</summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>
    /// The CPUs of the node: where memory is not bound (refused, or <see cref="NumaBindMode.None"/>), a thread pinned to them
    /// touches new memory first. <see langword="null"/>: the first thread that touches it decides.
    /// </summary>
    public CpuSet? FirstTouchCpus { get; set; }

    /// <summary>Receives fallbacks; <see langword="null"/> for <see cref="NumaMemoryPool.DefaultFallbacks"/>.</summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>The plan's source, in place of <see cref="MemoryNodeId"/>.</summary>
    internal MemorySource? Source { get; init; }
}
