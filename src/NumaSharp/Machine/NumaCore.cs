namespace NumaSharp.Core;

/// <summary>A physical core: the hardware threads that share its execution units (SMT siblings). Immutable.</summary>
public sealed record NumaCore
{
    /// <summary>Takes the value of each property.</summary>
    /// <param name="packageId"><see cref="PackageId"/></param>
    /// <param name="coreId"><see cref="CoreId"/></param>
    /// <param name="cpus"><see cref="Cpus"/></param>
    public NumaCore(int packageId, int coreId, CpuSet cpus)
    {
        PackageId = packageId;
        CoreId = coreId;
        Cpus = cpus;
    }

    /// <summary>The socket (physical_package_id); -1 where it is not known.</summary>
    public int PackageId { get; init; }

    /// <summary>The core's number in its package as firmware gives it; may have gaps. -1 where it is not known.</summary>
    public int CoreId { get; init; }

    /// <summary>The online CPUs of the core, allowed to this process or not; at least one.</summary>
    public CpuSet Cpus { get; init; }
}
