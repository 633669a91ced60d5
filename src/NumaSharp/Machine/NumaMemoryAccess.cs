namespace NumaSharp.Core;

/// <summary>
/// How fast a node's memory is for its best initiators, according to firmware (ACPI HMAT,
/// Documentation/admin-guide/mm/numaperf.rst). Immutable.
/// </summary>
public sealed record NumaMemoryAccess
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="accessClass"><see cref="AccessClass"/></param>
    /// <param name="initiatorNodes"><see cref="InitiatorNodes"/></param>
    /// <param name="readLatency"><see cref="ReadLatency"/></param>
    /// <param name="writeLatency"><see cref="WriteLatency"/></param>
    /// <param name="readBandwidth"><see cref="ReadBandwidth"/></param>
    /// <param name="writeBandwidth"><see cref="WriteBandwidth"/></param>
    public NumaMemoryAccess(
        int accessClass,
        CpuSet initiatorNodes,
        int? readLatency,
        int? writeLatency,
        int? readBandwidth,
        int? writeBandwidth)
    {
        AccessClass = accessClass;
        InitiatorNodes = initiatorNodes;
        ReadLatency = readLatency;
        WriteLatency = writeLatency;
        ReadBandwidth = readBandwidth;
        WriteBandwidth = writeBandwidth;
    }

    /// <summary>0: the best initiators of any kind; 1: the best that are CPUs.</summary>
    public int AccessClass { get; init; }

    /// <summary>The kernel ids of the nodes that reach the memory at these figures.</summary>
    public CpuSet InitiatorNodes { get; init; }

    /// <summary>In nanoseconds; <see langword="null"/> if firmware does not report it.</summary>
    public int? ReadLatency { get; init; }

    /// <summary>In nanoseconds; <see langword="null"/> if firmware does not report it.</summary>
    public int? WriteLatency { get; init; }

    /// <summary>In MB/s; <see langword="null"/> if firmware does not report it.</summary>
    public int? ReadBandwidth { get; init; }

    /// <summary>In MB/s; <see langword="null"/> if firmware does not report it.</summary>
    public int? WriteBandwidth { get; init; }
}
