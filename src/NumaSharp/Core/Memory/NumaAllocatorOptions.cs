namespace NumaSharp.Core;

/// <summary>The settings of a <see cref="NumaAllocator"/>. Nodes and bind mode come from the plan. Read once.</summary>
public sealed class NumaAllocatorOptions
{
    /// <summary>
    /// The most bytes of memory that each node takes from the system, in steps of 1 MiB for blocks up to 256 KiB; 0, the
    /// default, for no limit.
    /// </summary>
    public long LimitPerNode { get; set; }

    /// <summary>
    /// The bytes of address space reserved for each node's blocks up to 256 KiB, rounded up to a power of two; at least
    /// 64 MiB. Default 64 GiB. Address space is no memory; where the system gives less (<c>ulimit -v</c>), a quarter of that is
    /// taken.
    /// </summary>
    public long AddressSpacePerNode { get; set; } = 64L << 30;

    /// <summary>
    /// How long unused memory stays with the allocator; it then goes back to the system, within twice that time. From 1 ms to 49
    /// days; <see cref="TimeSpan.Zero"/>, the default: only <see cref="NumaAllocator.Trim"/> gives memory back.
    /// </summary>
    public TimeSpan TrimAfter { get; set; }

    /// <summary>
    /// How many bytes of each node's committed memory <see cref="TrimAfter"/> leaves, so that a service which wakes up does not
    /// begin with page faults. Default 16 MiB.
    /// </summary>
    public long KeepPerNode { get; set; } = NumaMemoryPool.DefaultKeepBytes;

    /// <summary>What is done to find wrong use of memory. Default <see cref="NumaMemoryChecks.None"/>.</summary>
    public NumaMemoryChecks Checks { get; set; }

    /// <summary>
    /// With <see cref="NumaMemoryChecks.Checks"/>: one in this many calls takes a stack trace, which is most of what that mode
    /// costs. Default 1, every one; 0 for none.
    /// </summary>
    public int TraceEvery { get; set; } = 1;

    /// <summary>
    /// With <see cref="NumaMemoryChecks.Hardened"/>: whether blocks are cleared when they are freed, so that a wrong read finds
    /// no content. <see cref="NumaMemoryChecks.Checks"/> overwrites them in any case.
    /// </summary>
    public bool ZeroOnFree { get; set; }

    /// <summary>
    /// The clock of <see cref="TrimAfter"/>, and of the second after which a thread that has moved allocates on its new node;
    /// <see langword="null"/> for the system's clock.
    /// </summary>
    public TimeProvider? Time { get; set; }

    /// <summary>Where address space and pages come from; <see langword="null"/> for this machine's own provider.</summary>
    public INumaMemoryProvider? Memory { get; set; }

    /// <summary>
    /// Finds the calling thread's node, and pins the thread of a first touch; <see langword="null"/> for this machine's own.
    /// </summary>
    public INumaAffinityProvider? Affinity { get; set; }

    /// <summary>Receives fallbacks; <see langword="null"/> for <see cref="NumaMemoryPool.DefaultFallbacks"/>.</summary>
    public NumaFallbacks? Fallbacks { get; set; }

    /// <summary>Where the allocator's own data is; this machine's own provider but for tests.</summary>
    internal INumaMemoryProvider? OwnMemory { get; set; }
}
