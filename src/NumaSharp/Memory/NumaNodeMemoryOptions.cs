using NumaSharp.Core.Memory;

namespace NumaSharp.Core;

/// <summary>The settings that memory pools and allocators have in common. Read once, by the constructor.</summary>
public abstract class NumaNodeMemoryOptions
{
    private protected NumaNodeMemoryOptions()
    {
    }

    /// <summary>
    /// The most bytes of memory that each node takes from the system, of an allocator in steps of 1 MiB (2 MiB of huge pages)
    /// for blocks up to 256 KiB; 0, the default, for no limit.
    /// </summary>
    public long LimitPerNode { get; set; }

    /// <summary>
    /// How long unused memory stays; it then goes back to the system (of a pool, slabs of 2 MiB that were wholly free), within
    /// about twice that time. From 1 ms to 49 days; <see cref="TimeSpan.Zero"/>, the default: only <c>Trim</c> gives memory back.
    /// </summary>
    public TimeSpan TrimAfter { get; set; }

    /// <summary>
    /// How many bytes of each node's committed memory <see cref="TrimAfter"/> leaves, so that a service which wakes up does not
    /// begin with page faults. Default 16 MiB.
    /// </summary>
    public long KeepPerNode { get; set; } = 16L << 20;

    /// <summary>
    /// The checks for wrong use of memory. Default <see cref="NumaMemoryCheckMode.None"/>. With others, the owner of a pool's
    /// block is valid for one rent, and threads keep no free blocks: renting takes a lock, and allocates an object.
    /// </summary>
    public NumaMemoryCheckMode Checks { get; set; }

    /// <summary>
    /// With <see cref="NumaMemoryCheckMode.Full"/>: one in this many calls takes a stack trace, which is most of what that mode
    /// costs. Default 1, every one; 0 for none.
    /// </summary>
    public int TraceEvery { get; set; } = 1;

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

    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    internal virtual void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfNegative(LimitPerNode);
        ArgumentOutOfRangeException.ThrowIfNegative(KeepPerNode);
        ArgumentOutOfRangeException.ThrowIfNegative(TraceEvery);
        IntervalTimer.CheckInterval(TrimAfter);
        MemoryModes.Check(Checks);
    }
}
