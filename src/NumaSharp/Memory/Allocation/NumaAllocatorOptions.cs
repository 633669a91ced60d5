using NumaSharp.Core.Memory.Allocation;

namespace NumaSharp.Core;

/// <summary>The settings of a <see cref="NumaAllocator"/>. Nodes and bind mode come from the plan.</summary>
public sealed class NumaAllocatorOptions : NumaNodeMemoryOptions
{
    /// <summary>
    /// The bytes of address space reserved for each node's blocks up to 256 KiB, rounded up to a power of two; at least
    /// 64 MiB. Default 64 GiB. Address space uses no memory; where the system grants less (<c>ulimit -v</c>), a quarter of that
    /// is taken.
    /// </summary>
    public long AddressSpacePerNode { get; set; } = 64L << 30;

    /// <summary>
    /// With <see cref="NumaMemoryCheckMode.Hardened"/>: whether blocks are cleared when they are freed, so that a read after the
    /// free finds zeros. <see cref="NumaMemoryCheckMode.Full"/> overwrites them in any case.
    /// </summary>
    public bool ZeroOnFree { get; set; }

    /// <summary>Where the allocator's own data is; this machine's own provider but for tests.</summary>
    internal INumaMemoryProvider? OwnMemory { get; set; }

    internal override void Validate()
    {
        base.Validate();
        ArgumentOutOfRangeException.ThrowIfLessThan(AddressSpacePerNode, AllocatorRange.MinBytesPerNode);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(AddressSpacePerNode, AllocatorRange.MaxBytesPerNode);
    }
}
