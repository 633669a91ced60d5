namespace NumaSharp.Core;

/// <summary>
/// A last-level cache and the CPUs that share it: a core complex (CCX) on AMD, often a whole socket elsewhere. Immutable.
/// </summary>
public sealed record NumaCache
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="level"><see cref="Level"/></param>
    /// <param name="sizeBytes"><see cref="SizeBytes"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    public NumaCache(int level, long sizeBytes, CpuSet cpus)
    {
        Level = level;
        SizeBytes = sizeBytes;
        Cpus = cpus;
    }

    /// <summary>1 to 4 in practice.</summary>
    public int Level { get; init; }

    /// <summary>Its size in bytes; 0 where it is not known.</summary>
    public long SizeBytes { get; init; }

    /// <summary>The online CPUs that share it, allowed to this process or not; at least one.</summary>
    public CpuSet Cpus { get; init; }
}
