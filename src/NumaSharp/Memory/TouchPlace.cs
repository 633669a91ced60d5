namespace NumaSharp.Core.Memory;

/// <summary>
/// The CPUs to touch memory from. A new object for each plan, even for the same CPUs: threads then pin themselves again.
/// </summary>
internal sealed class TouchPlace(CpuSet cpus)
{
    public CpuSet Cpus => cpus;
}
